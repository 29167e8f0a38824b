// Stands for `node:zlib`, which the interpreter's library names for commands that do not exist here: a browser has no such module.
const missing = (): never => {
  throw new Error('There is no compression in this shell')
}

export const constants = {}
export const gzipSync = missing
export const gunzipSync = missing
