// What a browser throws, in the words of a person and with what to do next.
import { messageOf, SideloopError } from '../log/errors.ts'

const nameOf = (error: unknown): string => (error instanceof Error || error instanceof DOMException ? error.name : '')

/**
 * Did the browser take the connection away? Then the outcome of the transaction is unknown, and reopening may help.
 * InvalidStateError: the handle is closing. UnknownError, TimeoutError: the storage process failed or went away (WebKit says so to
 * background tabs). AbortError: a transaction that we did not abort.
 */
export const isConnectionLoss = (error: unknown): boolean =>
  ['InvalidStateError', 'UnknownError', 'TimeoutError', 'AbortError'].includes(nameOf(error))

export const lostConnection = (cause: unknown): SideloopError =>
  new SideloopError(
    'storage/lost',
    'The browser closed its database and it could not be reached again, so the last change may not be saved. Reload the page; if that does not help, restart the browser.',
    { cause },
  )

type Versions = { readonly ours: number; readonly found: number | null }

/** Another tab has just brought the data to a newer form, so newer code can be had. */
export const outdatedTab = (details: Versions): SideloopError =>
  new SideloopError(
    'storage/blocked',
    'A newer version of this application was opened in another tab and has updated the saved data, so this tab can no longer use it. Reload this tab to get the newer version. Nothing was deleted.',
    { details },
  )

/** The code was loaded just now, and is older than the data all the same: an old copy of it was served, or it was set back. */
export const outdatedCode = (details: Versions, cause: unknown): SideloopError =>
  new SideloopError(
    'storage/blocked',
    'The saved data was written by a newer version of this application than the one that runs here, which cannot read it. Nothing was changed. Close all tabs of the application and open it again, so that the newest version is fetched. If this message stays, the application was set back to an older version: it has to be updated before the data can be used.',
    { details, cause },
  )

export const blockedByTab = (): SideloopError =>
  new SideloopError(
    'storage/blocked',
    'The saved data has to be updated, and another tab of this application that is still open holds it back. Close the other tabs (or reload them); this one then goes on by itself.',
  )

export const slowToOpen = (): SideloopError =>
  new SideloopError(
    'storage/blocked',
    'The browser does not open its database. Another tab may be holding it: close the other tabs of this application. If that does not help, restart the browser.',
  )

export const failedMigration = (cause: unknown): SideloopError =>
  new SideloopError(
    'internal',
    'The saved data could not be brought to the form that this version needs. Nothing was changed. Reload the page; if it fails again, go on with the version you had before.',
    { cause },
  )

export const closedStorage = (): SideloopError =>
  new SideloopError('storage/unavailable', 'This storage was closed. Open it again, or reload the page.')

const unavailable = (cause: unknown): SideloopError =>
  new SideloopError(
    'storage/unavailable',
    'The browser does not let this page save data. Allow site data (cookies) for this address, leave private browsing, and check that the disk is not full; then reload.',
    { cause },
  )

/** Any error of a transaction or a request. One that is ours already passes through. */
export const translateError = (error: unknown): SideloopError => {
  if (error instanceof SideloopError) return error
  switch (nameOf(error)) {
    case 'QuotaExceededError':
      return new SideloopError(
        'storage/quota',
        'The browser has no room left for this page, so this could not be saved. What was saved before is safe. Delete old sessions or files (or free space on the disk), then go on.',
        { cause: error },
      )
    case 'SecurityError':
    case 'NotAllowedError':
      return unavailable(error)
    case 'ConstraintError':
      return new SideloopError(
        'storage/conflict',
        'Another tab has saved the same thing first, so nothing was saved here. Reload, then try again.',
        {
          cause: error,
        },
      )
    case 'NotReadableError':
    case 'DataError':
    case 'NotFoundError':
      return new SideloopError(
        'storage/lost',
        'Saved data is damaged and cannot be read by the browser. Nothing was changed. Restart the browser and try again.',
        {
          cause: error,
        },
      )
    default:
      return new SideloopError(
        'internal',
        `Saving or reading failed in a way that was not foreseen (${messageOf(error)}). Reload the page.`,
        {
          cause: error,
        },
      )
  }
}

/** An error of opening the database. */
export const translateOpenError = (error: unknown, ours: number): SideloopError => {
  if (error instanceof SideloopError) return error
  const name = nameOf(error)
  if (name === 'VersionError') return outdatedCode({ ours, found: null }, error)
  return name === 'QuotaExceededError' ? translateError(error) : unavailable(error)
}
