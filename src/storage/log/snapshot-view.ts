// A read-only array of fixed length over a list that only grows: reading it copies nothing.

const readOnly = (): never => {
  throw new TypeError('This list is a snapshot and cannot be changed')
}

const isIndex = (key: string | symbol): key is string => typeof key === 'string' && /^(0|[1-9]\d*)$/.test(key)

/** Going through all of it asks the list itself: the proxy would be asked twice for each item. */
function* itemsOf<T>(list: readonly T[], length: number): Generator<T, void, undefined> {
  for (let i = 0; i < length; i++) yield list[i] as T
}

/** A view of the first `length` items of `list`. The list may grow behind it; items in it never change. */
export const snapshotView = <T>(list: T[], length: number): readonly T[] =>
  new Proxy(list, {
    get(target, key, receiver) {
      if (key === 'length') return length
      if (typeof key === 'string') {
        const code = key.charCodeAt(0)
        // The hot path of every loop: a digit is an index, and one at or behind the end gives nothing.
        if (code >= 48 && code <= 57) return Number(key) < length ? Reflect.get(target, key) : undefined
      }
      if (key === Symbol.iterator) return () => itemsOf(target, length)
      return Reflect.get(target, key, receiver)
    },
    has: (target, key) => (isIndex(key) ? Number(key) < length : Reflect.has(target, key)),
    ownKeys: () => [...Array.from({ length }, (_, i) => String(i)), 'length'],
    getOwnPropertyDescriptor(target, key) {
      if (key === 'length') return { value: length, writable: true, enumerable: false, configurable: false }
      return isIndex(key) && Number(key) >= length ? undefined : Reflect.getOwnPropertyDescriptor(target, key)
    },
    set: readOnly,
    defineProperty: readOnly,
    deleteProperty: readOnly,
    setPrototypeOf: readOnly,
    preventExtensions: readOnly, // would freeze the list behind it, and with it the log
  })
