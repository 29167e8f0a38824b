// Builds the page of the kill test as the application is built, and serves it with the same headers.
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, preview } from 'vite'

const root = fileURLToPath(new URL('../..', import.meta.url))

export type ServedPage = { readonly address: string; close(): Promise<void> }

export const servePage = async (): Promise<ServedPage> => {
  const config = {
    root: join(root, 'test', 'torture', 'page'),
    configFile: join(root, 'vite.config.ts'),
    logLevel: 'error',
    build: { outDir: join(root, '.cache', 'torture', 'page'), emptyOutDir: true },
  } as const
  await build(config)
  const server = await preview({ ...config, preview: { host: '127.0.0.1', port: 0 } })
  const { port } = server.httpServer.address() as AddressInfo
  return { address: `http://127.0.0.1:${port}/`, close: () => server.close() }
}
