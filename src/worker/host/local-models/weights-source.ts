// Where a model's weights come from → the files that it is made of, and what it is called.
import { SideloopError } from '../../../storage/log/errors.ts'
import type { SavedPart } from './saved-models.ts'

/** Characters, as they are sent. */
const LONGEST_ADDRESS = 2000
/** How the makers of GGUF files name the parts of a model that was split: counted from 1. */
const SPLIT = /-(\d{5})-of-(\d{5})\.gguf$/i

/** Errors: `command/invalid` for what is no address of a GGUF file. */
export const partsOf = (address: string): readonly SavedPart[] => {
  const url = fileAddress(address)
  const { pathname } = url
  const split = SPLIT.exec(pathname)
  const count = Number(split?.[2] ?? 1)
  if (count < 1 || count > 100) throw invalid('has a number of parts that cannot be')
  return Array.from({ length: count }, (_, i) => {
    const part = new URL(url)
    if (split !== null) part.pathname = pathname.replace(SPLIT, `-${String(i + 1).padStart(5, '0')}-of-${split[2]}.gguf`)
    return { name: keptName(part.href), url: part.href }
  })
}

/** Files of one folder, such as the repository of an ONNX model. Errors: `command/invalid` for a folder that is no address. */
export const partsIn = (folder: string, files: readonly string[]): readonly SavedPart[] => {
  if (!/^https?:\/\//i.test(folder) || !URL.canParse(folder)) throw invalid('must be a whole address that starts with https://')
  const base = new URL(folder.endsWith('/') ? folder : `${folder}/`)
  return files.map((file) => {
    const { href } = new URL(file, base)
    return { name: keptName(href), url: href, file }
  })
}

const fileAddress = (address: string): URL => {
  const given = address.trim()
  if (!/^https?:\/\//i.test(given) || !URL.canParse(given)) throw invalid('must be a whole address that starts with https://')
  const url = new URL(given)
  if (url.username !== '' || url.password !== '') throw invalid('must not hold a name or a password: a model is asked for without them')
  url.hash = ''
  // People copy the address of the page that shows the file; on this host the file is beside it.
  if (url.hostname === 'huggingface.co') url.pathname = url.pathname.replace(/^(\/[^/]+\/[^/]+)\/blob\//, '$1/resolve/')
  if (!/\.gguf$/i.test(url.pathname)) throw invalid('must lead to a file whose name ends in .gguf')
  if (url.href.length > LONGEST_ADDRESS) throw invalid(`must not be longer than ${LONGEST_ADDRESS} characters`)
  return url
}

const invalid = (what: string): SideloopError => new SideloopError('command/invalid', `The address of the model ${what}.`)

/** A name that a file system takes, different for every address. */
export const keptName = (source: string): string => `${slugOf(lastOf(source)).slice(0, 80)}-${fingerprint(source)}`

/** FNV-1a, 32 bits, twice with different starts: to tell names apart, not to protect anything. */
const fingerprint = (text: string): string =>
  [0x811c9dc5, 0x01000193]
    .map((start) => {
      let hash = start
      for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
      return (hash >>> 0).toString(16).padStart(8, '0')
    })
    .join('')

const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '') || 'model'

/** Without what nobody sees: control characters, marks of direction, blanks at the ends. */
export const readable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim()

/** The last part of an address or a path. */
const lastOf = (path: string): string =>
  path
    .replace(/[?#].*$/s, '')
    .split('/')
    .at(-1) ?? ''

/** What to call a model by its file: without the ending and the count of its parts. */
export const labelOf = (fileName: string): string => {
  const name = decoded(lastOf(fileName))
    .replace(SPLIT, '')
    .replace(/\.gguf$/i, '')
  return readable(name).slice(0, 100) || 'Model'
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A free name for a model. */
export const idFor = (label: string, isTaken: (id: string) => boolean): string => {
  const base = slugOf(label).slice(0, 60)
  for (let i = 1; ; i++) {
    const id = i === 1 ? base : `${base}-${i}`
    if (!isTaken(id)) return id
  }
}
