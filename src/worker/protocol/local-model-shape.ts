// The shapes of what a page says of local models, loaded with the first of it.
import { instanceOf, object, type Shape, text } from './shapes.ts'

const name = text(300, 1)
const address = object({ url: text(2000, 1) })
const file = object({ file: instanceOf(Blob), name })

const source: Shape<ReturnType<typeof address> | ReturnType<typeof file>> = (value, path) =>
  typeof value === 'object' && value !== null && 'url' in value ? address(value, path) : file(value, path)

export const toAdd = object({ source }, { label: text(300) })
