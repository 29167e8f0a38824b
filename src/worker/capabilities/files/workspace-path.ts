// Paths as models write them, made into the one name that a file has in its workspace, or refused with what to write instead.
import { SideloopError } from '../../../storage/log/errors.ts'

const LONGEST_PATH = 1_024
const LONGEST_NAME = 255
const DEEPEST = 32

const refuse = (path: unknown, why: string): never => {
  const shown = JSON.stringify(typeof path === 'string' ? path.slice(0, 200) : String(path))
  throw new SideloopError('command/invalid', `The path ${shown} ${why}`)
}

/**
 * Absolute, without empty or `.` parts, in Unicode's composed form. Relative paths start at `cwd`, itself absolute. `/` is the root.
 * Errors: `command/invalid` for `..`, backslashes, control characters, and what is too long or too deep.
 */
export const workspacePath = (path: string, cwd = '/'): string => {
  if (typeof path !== 'string' || path.trim() === '') return refuse(path, 'is empty. Give one such as "/notes/today.md".')
  if (path.length > LONGEST_PATH) return refuse(path, `is longer than ${LONGEST_PATH} characters. Use a shorter one.`)
  if (path.includes('\\')) return refuse(path, 'has a backslash. Separate folders with "/".')
  if (hasControlCharacter(path)) return refuse(path, 'has a control character. Use letters, digits, spaces and punctuation.')
  if (/\p{Surrogate}/u.test(path)) return refuse(path, 'has half of a character. Write it again.')
  const whole = path.startsWith('/') ? path : `${cwd}/${path}`
  const parts = whole
    .normalize('NFC')
    .split('/')
    .filter((part) => part !== '' && part !== '.')
  if (parts.includes('..')) return refuse(path, 'has "..". Write the path from the root instead, such as "/notes/today.md".')
  if (parts.length > DEEPEST) return refuse(path, `is deeper than ${DEEPEST} folders. Use fewer.`)
  if (parts.some((part) => part.length > LONGEST_NAME)) return refuse(path, `has a name longer than ${LONGEST_NAME} characters.`)
  return `/${parts.join('/')}`
}

/** The same for a file, which the root and `folder/` are not. */
export const workspaceFilePath = (path: string, cwd = '/'): string => {
  const normal = workspacePath(path, cwd)
  return normal === '/' || /\/\.?$/.test(path) ? refuse(path, 'names a folder. Give the path of a file.') : normal
}

const hasControlCharacter = (path: string): boolean => {
  for (let at = 0; at < path.length; at += 1) {
    const code = path.charCodeAt(at)
    if (code < 0x20 || code === 0x7f) return true
  }
  return false
}
