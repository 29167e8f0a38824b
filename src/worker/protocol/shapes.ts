// Shapes of plain data, for what crosses the boundary: each reads a value and gives a copy with the known fields, or says what is wrong.
import { SideloopError } from '../../storage/log/errors.ts'

/** Errors: `command/invalid`, with the path of the field. */
export type Shape<T> = (value: unknown, path: string) => T
export type ShapeOf<S> = S extends Shape<infer T> ? T : never

const wrong = (path: string, what: string): never => {
  throw new SideloopError('command/invalid', `${path} ${what}`)
}

export const text =
  (longest: number, shortest = 0): Shape<string> =>
  (value, path) => {
    if (typeof value !== 'string') return wrong(path, 'must be text')
    if (value.length < shortest) return wrong(path, 'must not be empty')
    return value.length > longest ? wrong(path, `must not be longer than ${longest} characters`) : value
  }

/** `say` completes "must …". */
export const matching =
  (pattern: RegExp, say: string): Shape<string> =>
  (value, path) =>
    typeof value === 'string' && pattern.test(value) ? value : wrong(path, `must ${say}`)

export const number =
  (least: number, most = Number.MAX_SAFE_INTEGER): Shape<number> =>
  (value, path) =>
    typeof value === 'number' && value >= least && value <= most ? value : wrong(path, `must be a number from ${least} to ${most}`)

export const integer =
  (least: number): Shape<number> =>
  (value, path) =>
    Number.isSafeInteger(value) && (value as number) >= least ? (value as number) : wrong(path, `must be a whole number from ${least} on`)

export const oneOf =
  <T extends string>(...words: readonly T[]): Shape<T> =>
  (value, path) =>
    words.find((word) => word === value) ?? wrong(path, `must be one of: ${words.join(', ')}`)

export const orNull =
  <T>(shape: Shape<T>): Shape<T | null> =>
  (value, path) =>
    value === null ? null : shape(value, path)

export const listOf =
  <T>(item: Shape<T>, longest: number, shortest = 0): Shape<readonly T[]> =>
  (value, path) => {
    if (!Array.isArray(value)) return wrong(path, 'must be a list')
    if (value.length < shortest || value.length > longest) return wrong(path, `must hold from ${shortest} to ${longest} items`)
    return value.map((each, i) => item(each, `${path}[${i}]`))
  }

export const instanceOf =
  <T>(kind: { new (): T; readonly name: string }): Shape<T> =>
  (value, path) =>
    value instanceof kind ? value : wrong(path, `must be a ${kind.name}`)

type Fields = { readonly [field: string]: Shape<unknown> }
type Read<F extends Fields> = { readonly [K in keyof F]: ShapeOf<F[K]> }

/** Fields that are not named are left out; an optional one that is absent stays absent. */
export const object =
  <R extends Fields, O extends Fields = Record<never, never>>(required: R, optional?: O): Shape<Read<R> & Partial<Read<O>>> =>
  (value, path) => {
    if (typeof value !== 'object' || value === null) return wrong(path || 'The input', 'must be an object')
    const given = value as Readonly<Record<string, unknown>>
    const read: Record<string, unknown> = {}
    const take = (fields: Fields, field: string): void => {
      read[field] = fields[field]?.(given[field], path === '' ? field : `${path}.${field}`)
    }
    for (const field of Object.keys(required)) take(required, field)
    for (const field of Object.keys(optional ?? {})) if (Object.hasOwn(given, field)) take(optional ?? {}, field)
    return read as Read<R> & Partial<Read<O>>
  }

type Kinds = { readonly [kind: string]: Shape<unknown> }

/** One of several objects, told apart by their `type`. */
export const byType =
  <K extends Kinds>(kinds: K): Shape<ShapeOf<K[keyof K]>> =>
  (value, path) => {
    const type = typeof value === 'object' && value !== null && 'type' in value ? String(value.type) : ''
    if (!Object.hasOwn(kinds, type)) return wrong(`${path}.type`, `must be one of: ${Object.keys(kinds).join(', ')}`)
    return kinds[type]?.(value, path) as ShapeOf<K[keyof K]>
  }
