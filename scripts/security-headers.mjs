// The response headers of the served application, path by path, as a Vite plugin for dev, preview and the built page.
// A worker obeys the policy of its own response, so the page may stay closed while the agent's worker reaches models.

/** @typedef {Record<string, string>} Policy directive name to its sources */

/** @type {Policy} */
const PAGE = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data: blob:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'worker-src': "'self'",
  'manifest-src': "'self'",
  'frame-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
}

/** Calls models: any host over TLS, and servers on this machine. The policy language has no IPv6 literals. */
/** @type {Policy} */
const AGENT_WORKER = {
  'default-src': "'none'",
  'script-src': "'self'",
  'connect-src': "'self' https: http://localhost:* http://127.0.0.1:*",
  'worker-src': "'self'",
}

/** Runs generated code in WebAssembly: it may compile its engine and fetch it, nothing else. */
/** @type {Policy} */
const SANDBOX_WORKER = {
  'default-src': "'none'",
  'script-src': "'self' 'wasm-unsafe-eval'",
  'connect-src': "'self'",
}

/** Runs commands that a model wrote, in an interpreter of plain JavaScript: it loads its own parts, and reaches nothing. */
/** @type {Policy} */
const SHELL_WORKER = {
  'default-src': "'none'",
  'script-src': "'self'",
  'connect-src': "'none'",
}

/**
 * Runs a model whose weights it is handed, in WebAssembly: it may compile that, and start the worker that its library makes of its own
 * text. It reaches its own site only, and `blob:` is memory of its own.
 */
/** @type {Policy} */
const ENGINE_WORKER = {
  'default-src': "'none'",
  'script-src': "'self' 'wasm-unsafe-eval' blob:",
  'connect-src': "'self' blob:",
  'worker-src': 'blob:',
}

/** Built files end in `-HASH.js`, the dev server's in `.ts`. A worker that is not named here gets the page's policy. */
const WORKERS = [
  { name: /(^|\/)(agent|browser)\.worker(-[\w-]+)?\.[jt]s$/, policy: AGENT_WORKER },
  { name: /(^|\/)quickjs\.worker(-[\w-]+)?\.[jt]s$/, policy: SANDBOX_WORKER },
  { name: /(^|\/)bash\.worker(-[\w-]+)?\.[jt]s$/, policy: SHELL_WORKER },
  { name: /(^|\/)(wllama|transformers)\.worker(-[\w-]+)?\.[jt]s$/, policy: ENGINE_WORKER },
]

/** @param {Policy} policy */
const write = (policy) =>
  Object.entries(policy)
    .map(([directive, sources]) => `${directive} ${sources}`)
    .join('; ')

/**
 * The dev server adds style elements and a socket for hot reload; nothing else is loosened.
 * @param {Policy} policy
 */
const forDevelopment = (policy) => ({
  ...policy,
  'style-src': "'self' 'unsafe-inline'",
  'connect-src': `${policy['connect-src']} ws://localhost:* ws://127.0.0.1:*`.replace("'none' ", ''),
})

/**
 * @param {string} pathname the path of the request, without its query
 * @param {'served' | 'development'} [mode]
 * @returns {Record<string, string>}
 */
export const headersFor = (pathname, mode = 'served') => {
  const policy = WORKERS.find((worker) => worker.name.test(pathname))?.policy ?? PAGE
  return {
    'Content-Security-Policy': write(mode === 'development' ? forDevelopment(policy) : policy),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    // Cross-origin isolated, so that models in the tab may use several threads. Not `require-corp`: that would hide a local server that is
    // there and refuses this page, which only a request without CORS can see. Safari knows `require-corp` only, and has one thread.
    'Cross-Origin-Embedder-Policy': 'credentialless',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-DNS-Prefetch-Control': 'off',
  }
}

/** The page's policy for hosts that set no headers. Browsers refuse `frame-ancestors` in a page, with an error. */
export const pagePolicyForMeta = () => {
  const { 'frame-ancestors': _headerOnly, ...policy } = PAGE
  return write(policy)
}

/** @param {string | undefined} url */
const pathnameOf = (url) => (url ?? '/').replace(/[?#].*$/s, '')

/** @returns {import('vite').Plugin} */
export const securityHeaders = () => ({
  name: 'security-headers',
  configureServer(server) {
    server.middlewares.use((request, response, next) => {
      for (const [name, value] of Object.entries(headersFor(pathnameOf(request.url), 'development'))) response.setHeader(name, value)
      next()
    })
  },
  configurePreviewServer(server) {
    server.middlewares.use((request, response, next) => {
      for (const [name, value] of Object.entries(headersFor(pathnameOf(request.url)))) response.setHeader(name, value)
      next()
    })
  },
  transformIndexHtml: {
    order: 'post',
    handler: (_html, context) =>
      context.server === undefined
        ? [
            { tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content: pagePolicyForMeta() }, injectTo: 'head-prepend' },
            { tag: 'meta', attrs: { name: 'referrer', content: 'no-referrer' }, injectTo: 'head-prepend' },
            { tag: 'meta', attrs: { 'http-equiv': 'x-dns-prefetch-control', content: 'off' }, injectTo: 'head-prepend' },
          ]
        : [],
  },
})
