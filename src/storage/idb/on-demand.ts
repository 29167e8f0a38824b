// A port whose code comes with its first call, so that a worker starts without it.

type Port<T> = { readonly [K in keyof T]: (...input: never[]) => Promise<unknown> }

export const onDemand = <T extends Port<T>>(load: () => Promise<T>, names: readonly (keyof T & string)[]): T =>
  Object.fromEntries(names.map((name) => [name, async (...input: never[]) => (await load())[name](...input)])) as T
