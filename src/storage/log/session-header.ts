// A session's header is a closed list of fields; one of another version or shape is refused before anything is read by it.
import { SideloopError } from './errors.ts'
import type { SessionHeader } from './events.ts'
import { freezeJson } from './lossless-json.ts'

const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0
const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

const FIELDS: { readonly [F in keyof SessionHeader]-?: { readonly required: boolean; readonly valid: (value: unknown) => boolean } } = {
  version: { required: true, valid: (value) => value === 1 },
  id: { required: true, valid: isText },
  createdAt: { required: true, valid: (value) => typeof value === 'number' && Number.isFinite(value) },
  cwd: { required: false, valid: (value) => typeof value === 'string' && value.startsWith('/') },
  parentSession: { required: false, valid: isText },
  seedLength: { required: false, valid: isCount },
  depth: { required: false, valid: isCount },
}

/** Gives the header back, frozen. Errors: `session/invalid` with the field that is wrong. */
export const readSessionHeader = (given: unknown): SessionHeader => {
  const refuse = (what: string): never => {
    throw new SideloopError('session/invalid', `This session header cannot be read: ${what}`)
  }
  if (typeof given !== 'object' || given === null) return refuse('it is not an object')
  const header = freezeJson(given) as Record<string, unknown>
  for (const field of Object.keys(header)) if (!Object.hasOwn(FIELDS, field)) refuse(`it has an unknown field "${field}"`)
  for (const [field, { required, valid }] of Object.entries(FIELDS)) {
    if (header[field] === undefined ? required : !valid(header[field])) refuse(`its ${field} is ${JSON.stringify(header[field])}`)
  }
  return header as SessionHeader
}
