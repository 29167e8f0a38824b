// A database as text and back, row by row, without any code of the application: so that one of an old version stays what it was.

type Index = { readonly name: string; readonly keyPath: string | string[]; readonly unique: boolean; readonly multiEntry: boolean }
type StoreDump = {
  readonly name: string
  readonly keyPath: string | string[]
  readonly indexes: readonly Index[]
  readonly rows: readonly unknown[]
}
export type DatabaseDump = { readonly version: number; readonly stores: readonly StoreDump[] }

/** A key is dumped as these bytes: what is in one that cannot be taken out is known only to whoever made it. */
export const SAMPLE_KEY = Uint8Array.from({ length: 32 }, (_, i) => (i * 37 + 11) % 256)

export const sampleKey = (): Promise<CryptoKey> => crypto.subtle.importKey('raw', SAMPLE_KEY, 'AES-GCM', false, ['encrypt', 'decrypt'])

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
const fromBase64 = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text), (character) => character.charCodeAt(0))

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

const toText = (value: unknown): unknown => {
  if (value instanceof CryptoKey) return { $key: toBase64(SAMPLE_KEY) }
  if (value instanceof Uint8Array) return { $bytes: toBase64(value) }
  if (value instanceof ArrayBuffer) return { $buffer: toBase64(new Uint8Array(value)) }
  if (Array.isArray(value)) return value.map(toText)
  return isPlain(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toText(item)])) : value
}

const fromText = (value: unknown, key: CryptoKey): unknown => {
  if (Array.isArray(value)) return value.map((item) => fromText(item, key))
  if (!isPlain(value)) return value
  if (typeof value.$key === 'string') return key
  if (typeof value.$bytes === 'string') return fromBase64(value.$bytes)
  if (typeof value.$buffer === 'string') return fromBase64(value.$buffer).buffer
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fromText(item, key)]))
}

const answer = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

export const dumpDatabase = async (name: string): Promise<DatabaseDump> => {
  const db = await answer(indexedDB.open(name))
  const stores: StoreDump[] = []
  for (const storeName of db.objectStoreNames) {
    const store = db.transaction(storeName).objectStore(storeName)
    const indexes = Array.from(store.indexNames, (indexName) => {
      const { keyPath, unique, multiEntry } = store.index(indexName)
      return { name: indexName, keyPath, unique, multiEntry }
    })
    const rows = await answer(store.getAll())
    stores.push({ name: storeName, keyPath: store.keyPath as string | string[], indexes, rows: rows.map(toText) })
  }
  db.close()
  return { version: db.version, stores }
}

export const restoreDatabase = async (name: string, { version, stores }: DatabaseDump): Promise<void> => {
  const key = await sampleKey()
  const opening = indexedDB.open(name, version)
  opening.onupgradeneeded = () => {
    for (const { name: storeName, keyPath, indexes } of stores) {
      const store = opening.result.createObjectStore(storeName, { keyPath })
      for (const { name: indexName, keyPath: path, ...options } of indexes) store.createIndex(indexName, path, options)
    }
  }
  const db = await answer(opening)
  const tx = db.transaction(db.objectStoreNames, 'readwrite')
  for (const { name: storeName, rows } of stores) for (const row of rows) tx.objectStore(storeName).add(fromText(row, key))
  await new Promise((resolve, reject) => {
    tx.oncomplete = resolve
    tx.onabort = () => reject(tx.error)
  })
  db.close()
}
