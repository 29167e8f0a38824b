// Builds the application if its sources changed and serves it on this machine: npm start [-- --port 8080].
// The server is Vite's preview with the security headers of security-headers.mjs; it listens on this machine only.
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildIfStale } from './build.mjs'

const host = '127.0.0.1'
const defaultPort = 5173

/** @param {number} port 0 for any @returns {Promise<number | undefined>} the port if it can be had */
const tryPort = (port) =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(undefined))
    probe.listen({ port, host, exclusive: true }, () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' ? (address?.port ?? undefined) : undefined))
    })
  })

/** @param {string} text */
const parsePort = (text) => {
  const port = Number(text)
  if (!Number.isInteger(port) || port < 0 || port > 65535) throw new Error(`--port takes a number from 0 to 65535, not "${text}".`)
  return port
}

/** @param {string | undefined} asked */
const choosePort = async (asked) => {
  if (asked !== undefined) {
    const port = await tryPort(parsePort(asked))
    if (port === undefined) throw new Error(`Port ${asked} cannot be used: another program has it. Choose another with --port.`)
    return port
  }
  for (let port = defaultPort; port < defaultPort + 20; port += 1) {
    if ((await tryPort(port)) === undefined) continue
    if (port !== defaultPort) {
      console.log(
        `Port ${defaultPort} is taken, using ${port}. Sessions belong to an address: those made at ${defaultPort} are not shown here.`,
      )
    }
    return port
  }
  throw new Error(`Ports ${defaultPort} to ${defaultPort + 19} are all taken. Choose another with --port.`)
}

const main = async () => {
  const { values } = parseArgs({ options: { port: { type: 'string' } } })
  const port = await choosePort(values.port)
  await buildIfStale((line) => console.log(line))
  const { preview } = await import('vite')
  const server = await preview({
    root: fileURLToPath(new URL('..', import.meta.url)),
    logLevel: 'warn',
    preview: { host, port, strictPort: true, open: false },
  })
  let stopping = false
  const stop = async () => {
    if (stopping) process.exit(1)
    stopping = true
    await server.close()
    process.exit(0)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  console.log(`\nSideloop is running at http://${host}:${port}/\nPress Ctrl+C to stop.`)
}

main().catch((error) => {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
})
