// Paths as the file stores take them: absolute and normalised, so that one file has one name.
import { SideloopError } from './log/errors.ts'

const refuse = (path: string, why: string): never => {
  throw new SideloopError('command/invalid', `The path ${JSON.stringify(path)} ${why}. Give an absolute path such as "/notes/today.md".`)
}

const check = (path: string): void => {
  if (typeof path !== 'string' || !path.startsWith('/')) refuse(path, 'is not absolute')
  if (path.includes('\0')) refuse(path, 'holds a null character')
  for (const part of path.slice(1).split('/')) {
    if (part === '') refuse(path, 'has an empty part')
    if (part === '.' || part === '..') refuse(path, `has the part "${part}"`)
  }
}

/** Errors: `command/invalid`. */
export const checkFilePath = (path: string): string => {
  check(path)
  return path
}

/** What every path below the folder begins with. Errors: `command/invalid`. */
export const folderPrefix = (folder: string): string => {
  if (folder === '/') return folder
  check(folder)
  return `${folder}/`
}
