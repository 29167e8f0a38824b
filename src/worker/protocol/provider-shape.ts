// The shape of a provider's settings, for what a page sends and for what was stored.

import { SideloopError } from '../../storage/log/errors.ts'
import { PROVIDER_APIS } from './providers.ts'
import { listOf, matching, number, object, oneOf, type Shape, text } from './shapes.ts'

const MODELS = 2000
const name = text(200, 1)
const flag: Shape<boolean> = (value, path) => {
  if (typeof value !== 'boolean') throw new SideloopError('command/invalid', `${path} must be true or false`)
  return value
}

const webAddress = matching(/^https?:\/\/\S{1,2000}$/i, 'be a whole address that starts with http:// or https://')
const address: Shape<string> = (value, path) => {
  const given = webAddress(value, path)
  if (!URL.canParse(given)) throw new SideloopError('command/invalid', `${path} must be an address that a browser can read`)
  return given
}

const tokens = number(1)
const dollars = number(0, 1e6)

const modelInfo = object(
  {},
  {
    tools: flag,
    images: flag,
    textCalls: flag,
    contextWindow: tokens,
    maxOutput: tokens,
    efforts: listOf(name, 20),
    prices: object({ input: dollars, output: dollars, asOf: text(40) }, { cacheRead: dollars, cacheWrite: dollars }),
  },
)

const required = {
  id: matching(/^[a-z0-9][a-z0-9-]{0,63}$/, 'be made of lower-case letters, digits and hyphens'),
  label: text(500),
  api: oneOf(...PROVIDER_APIS),
  baseUrl: address,
  models: listOf(name, MODELS),
}
const optional = { facts: listOf(object({ id: name }, { name: text(500), info: modelInfo }), MODELS) }

/** As it is stored: its key is kept elsewhere. */
export const savedProvider = object(required, optional)

const provider = object(required, { ...optional, key: text(10_000) })
export const toSave = object({ provider })
export const toTry = object({ provider }, { attempt: name })
