// Runs inside QuickJS before the code of the model: the files that were passed in, as `files[path]` and `readFile(path)`.
;(function startFiles(paths, texts, inspect) {
  const { apply } = Reflect
  const { replace, slice } = String.prototype
  const { join } = Array.prototype
  const ErrorClass = Error
  const plainPath = (path) => apply(replace, `${path}`, [/^(?:\.?\/)+/, ''])

  const files = { __proto__: null }
  const byPlainPath = { __proto__: null }
  for (let i = 0; i < paths.length; i += 1) {
    files[paths[i]] = texts[i]
    byPlainPath[plainPath(paths[i])] = texts[i]
  }
  globalThis.files = files
  globalThis.readFile = (path) => {
    const text = files[path] ?? byPlainPath[plainPath(path)]
    if (text !== undefined) return text
    const known = paths.length === 0 ? 'No files were passed in' : `Passed in: ${apply(slice, apply(join, paths, [', ']), [0, 500])}`
    throw new ErrorClass(`There is no file ${inspect(`${path}`)} here. ${known}; name it in "files" of the call.`)
  }
})
