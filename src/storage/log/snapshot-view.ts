// A read-only array of fixed length over a list that only grows: reading it copies nothing.

const readOnly = (): never => {
  throw new TypeError('This list is a snapshot and cannot be changed')
}

/** A view of the first `length` items of `list`. The list may grow behind it; items in it never change. */
export const snapshotView = <T>(list: T[], length: number): readonly T[] => {
  const indexOf = (key: string | symbol): number => (typeof key === 'string' && /^\d+$/.test(key) ? Number(key) : -1)
  return new Proxy(list, {
    get(target, key, receiver) {
      if (key === 'length') return length
      if (typeof key === 'string') {
        const code = key.charCodeAt(0)
        if (code >= 48 && code <= 57) return Number(key) < length ? target[Number(key)] : undefined
      }
      return Reflect.get(target, key, receiver)
    },
    has: (target, key) => (indexOf(key) >= 0 ? indexOf(key) < length : Reflect.has(target, key)),
    ownKeys: () => [...Array.from({ length }, (_, i) => String(i)), 'length'],
    getOwnPropertyDescriptor(target, key) {
      if (key === 'length') return { value: length, writable: true, enumerable: false, configurable: false }
      return indexOf(key) >= length ? undefined : Reflect.getOwnPropertyDescriptor(target, key)
    },
    set: readOnly,
    defineProperty: readOnly,
    deleteProperty: readOnly,
    setPrototypeOf: readOnly,
  })
}
