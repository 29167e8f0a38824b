// A model of this tab in words: how far it is, what it does for the conversation, and what is lost with it.
import type { LocalModelView } from './agent-client.ts'

const MEGA = 1_000_000
const GIGA = 1000 * MEGA

/** Bytes in powers of ten, as the makers of models tell them: `1.8 MB`, `639 MB`, `1.12 GB`. */
export const sayWeight = (bytes: number): string => {
  if (bytes >= 999.5 * MEGA) return `${(bytes / GIGA).toFixed(bytes < 10 * GIGA ? 2 : 0)} GB`
  return `${(bytes / MEGA).toFixed(bytes < 10 * MEGA ? 1 : 0)} MB`
}

/** All of it is here, and it can be chosen. */
export const isKept = ({ state }: LocalModelView): boolean => state.kind !== 'absent' && state.kind !== 'downloading'

/** It has an address to come from; else it was a file that a person gave. */
export const hasSource = ({ url }: LocalModelView): boolean => url !== undefined

/** What it is, or where it came from. */
export const sayAbout = ({ detail, url }: LocalModelView): string => {
  if (detail !== undefined) return detail
  return url !== undefined && URL.canParse(url) ? `From ${new URL(url).host}` : 'A file of yours'
}

/** Bytes that are still to come; undefined as long as nobody knows. */
export const missing = ({ bytes, here }: LocalModelView): number | undefined => (bytes === undefined ? undefined : bytes - here)

const percent = (part: number): string => `${Math.floor(Math.min(1, part) * 100)} %`

/** In large pieces: most of the time nothing is known yet. */
const begun = (part: number): string => (part < 0.01 ? '' : ` ${percent(part)}`)

/** `211 MB of 639 MB · 33 %`. */
export const sayProgress = ({ here, bytes }: LocalModelView): string =>
  bytes === undefined || bytes === 0 ? sayWeight(here) : `${sayWeight(here)} of ${sayWeight(bytes)} · ${percent(here / bytes)}`

/** Where it stands. */
export const sayState = (model: LocalModelView): string => {
  const { state, here, bytes } = model
  switch (state.kind) {
    case 'absent':
      if (here > 0) return bytes === undefined ? `${sayWeight(here)} of it here` : `${sayWeight(here)} of ${sayWeight(bytes)} here`
      if (!hasSource(model)) return 'Its file is not here any more. Add it again to use it.'
      return bytes === undefined ? 'Not here yet, size not known' : 'Not here yet'
    case 'downloading':
      if (here === bytes) return 'All of it is here. Fetching what runs it…'
      return hasSource(model) ? 'Downloading' : 'Copying the file'
    case 'kept':
      return `Here · ${sayWeight(here)}`
    case 'loading':
      return `Being loaded into memory · ${sayWeight(here)}`
    case 'loaded':
      return `In memory · ${sayWeight(here)}`
    case 'reading':
      return `Reading the conversation${begun(state.part)}`
  }
}

/** What the conversation waits for; undefined when it is the answer itself. */
export const sayWork = ({ state, label, here, bytes }: LocalModelView): string | undefined => {
  switch (state.kind) {
    case 'downloading':
      return bytes === undefined || bytes === 0 ? `Downloading ${label}…` : `Downloading ${label}… ${percent(here / bytes)}`
    case 'loading':
      return `Loading ${label}…`
    case 'reading':
      return `Reading the conversation…${begun(state.part)}`
    case 'absent':
    case 'kept':
    case 'loaded':
      return undefined
  }
}

/** Asked before it is removed. `isChosen`: the session on the screen uses it. */
export const sayLoss = (model: LocalModelView, isChosen: boolean): string => {
  const { here, added, state } = model
  return [
    here === 0
      ? 'Take it off this list?'
      : isKept(model)
        ? `Remove it? That frees ${sayWeight(here)}.`
        : `Remove the ${sayWeight(here)} that are here?`,
    ...(!hasSource(model)
      ? ['Your own file stays where it is: to use it again, add that once more.']
      : here > 0
        ? [isKept(model) ? 'To use it again, it has to be downloaded again.' : 'The download then begins again from its start.']
        : []),
    ...(added && here > 0 && hasSource(model) ? ['It also goes from this list.'] : []),
    ...(state.kind === 'loading' || state.kind === 'reading' ? ['What it is asked right now stays without an answer.'] : []),
    ...(isChosen && isKept(model) ? ['This session uses it, and needs another model then.'] : []),
  ].join(' ')
}

/** Why a download may not fit; undefined when it does, or when nobody knows. `free`: bytes. */
export const sayTight = (model: LocalModelView, free: number | undefined): string | undefined => {
  const needed = missing(model)
  if (needed === undefined || free === undefined || needed <= free || isKept(model)) return undefined
  return `It may not fit: ${sayWeight(needed)} are needed, and the browser has room for about ${sayWeight(Math.max(0, free))}. Remove another model, or free space on the disk.`
}
