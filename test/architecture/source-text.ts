// Reads source text just far enough for the rules: what is a comment, a string, a pattern; what is imported.

/** `code` has comments blanked, `bare` has the insides of strings, templates and patterns blanked too. Same length, same lines. */
export type SourceText = { readonly code: string; readonly bare: string }

const blank = (text: string): string => text.replace(/[^\n]/g, ' ')

/** After these a slash starts a pattern; after a name, a number or a closing bracket it divides. */
const patternMayFollow = (before: string): boolean => {
  const trimmed = before.trimEnd()
  return trimmed === '' || /[=(,:[!&|?{};+\-*%~^]$|=>$|\b(return|typeof|case|in|of|do|else|void|delete)$/.test(trimmed)
}

const token =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/g

/** Holes of templates count as string: `${…}` may hide a name, which the compiler's own libraries still catch. */
export const readSource = (text: string): SourceText => {
  let code = ''
  let bare = ''
  let end = 0
  token.lastIndex = 0
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const piece = match[0]
    const between = text.slice(end, match.index)
    const isComment = piece.startsWith('//') || piece.startsWith('/*')
    if (!isComment && piece.startsWith('/') && !patternMayFollow(bare + between)) {
      token.lastIndex = match.index + 1
      continue
    }
    code += between + (isComment ? blank(piece) : piece)
    bare += between + (isComment ? blank(piece) : piece[0] + blank(piece.slice(1, -1)) + piece.at(-1))
    end = match.index + piece.length
  }
  return { code: code + text.slice(end), bare: bare + text.slice(end) }
}

export type Import = { readonly specifier: string; readonly typeOnly: boolean; readonly kind: 'import' | 'worker' }

const statement = /(?<![\w$.])(?:import|export)\s+(type\s)?([^'"`;()]*?\bfrom\s*)?(['"])([^'"\n]+)\3/g
const call = /(?<![\w$.])import\s*\(\s*(['"`])([^'"`\n]+)\1/g
const address = /new\s+URL\(\s*(['"`])(\.[^'"`\n]+)\1\s*,\s*import\.meta\.url/g

/** Named one by one as types: `import { type A, type B }`. */
const allNamesAreTypes = (clause: string): boolean => {
  const names = /^\s*\{([^}]*)\}\s*from/.exec(clause)?.[1]
  return names?.split(',').every((name) => name.trim() === '' || name.trim().startsWith('type ')) ?? false
}

export const importsOf = (text: string): readonly Import[] => {
  const { code, bare } = readSource(text)
  const isReal = (index: number): boolean => bare[index] !== ' ' // not inside a string
  const found: Import[] = []
  for (const match of code.matchAll(statement)) {
    if (!isReal(match.index)) continue
    found.push({ specifier: match[4] ?? '', typeOnly: match[1] !== undefined || allNamesAreTypes(match[2] ?? ''), kind: 'import' })
  }
  for (const match of code.matchAll(call)) {
    if (!isReal(match.index)) continue
    // `import('./a.ts').B` in a type position is a type; awaited or returned it runs.
    const typeOnly = /^\s*\)\s*\.[A-Z]/.test(code.slice(match.index + match[0].length))
    found.push({ specifier: match[2] ?? '', typeOnly, kind: 'import' })
  }
  for (const match of code.matchAll(address)) {
    if (isReal(match.index)) found.push({ specifier: match[2] ?? '', typeOnly: false, kind: 'worker' })
  }
  return found
}
