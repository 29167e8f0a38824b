// Paths as the shell resolves them, and what it says of those that fail.

type Failure = 'ENOENT' | 'EEXIST' | 'EISDIR' | 'ENOTDIR' | 'ENOTEMPTY' | 'EINVAL' | 'EPERM' | 'EACCES' | 'EIO'

/** In the form that the interpreter's commands know. */
const FAILURES: { readonly [F in Failure]: string } = {
  ENOENT: 'no such file or directory',
  EEXIST: 'file already exists',
  EISDIR: 'illegal operation on a directory',
  ENOTDIR: 'not a directory',
  ENOTEMPTY: 'directory not empty',
  EINVAL: 'invalid argument',
  EPERM: 'operation not permitted, there are no links here',
  EACCES: 'refused, the reason stands at the end',
  EIO: 'could not be read',
}
export const failure = (code: Failure, path: string): Error => new Error(`${code}: ${FAILURES[code]}, '${path}'`)

/** What is written there is gone, what is read there is nothing. */
const DEVICES: readonly string[] = ['/dev/null', '/dev/stdin', '/dev/stdout', '/dev/stderr', '/dev/tty']
export const isDevice = (path: string): boolean => DEVICES.includes(path)

/** Where they are, and where the interpreter keeps what it needs for itself: never in the owner's files. */
export const isInDev = (path: string): boolean => path === '/dev' || path.startsWith('/dev/')

export const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/'
export const below = (folder: string): string => (folder === '/' ? '/' : `${folder}/`)

/** Never leads out: `..` at the root stays there. */
export const resolve = (base: string, path: string): string => {
  const parts: string[] = []
  for (const part of (path.startsWith('/') ? path : `${base}/${path}`).normalize('NFC').split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}
