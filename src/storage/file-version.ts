// The version rule of files: rises by one with each write, and a writer may ask for the one it knows.
import { SideloopError } from './log/errors.ts'

/** `now`: 0 for a file that does not exist. Errors: `storage/conflict`. */
export const nextVersion = (path: string, now: number, ifVersion: number | undefined): number => {
  if (ifVersion === undefined || ifVersion === now) return now + 1
  const found = now === 0 ? 'it does not exist' : `it has version ${now}`
  const wanted = ifVersion === 0 ? 'it was expected not to exist' : `version ${ifVersion} was expected`
  throw new SideloopError('storage/conflict', `${path} was not written: ${found}, and ${wanted}. Read it again, then write.`, {
    details: { path, version: now },
  })
}
