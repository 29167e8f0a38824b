// The policies of the served application, path by path; what they stop is attacked in test/e2e.
import { expect, test } from 'vitest'
import { headersFor, pagePolicyForMeta } from '../../../scripts/security-headers.mjs'

const policyOf = (path: string, mode?: 'served' | 'development'): string => headersFor(path, mode)['Content-Security-Policy'] ?? ''

test('the page may load and connect to nothing but its own origin', () => {
  const policy = policyOf('/')
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("script-src 'self';")
  expect(policy).toContain("connect-src 'self';")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toMatch(/unsafe|https:|\*/)
})

test("the agent's worker reaches models over TLS and on this machine, and evaluates nothing", () => {
  for (const path of ['/assets/agent.worker-B-3_x.js', '/deep/assets/agent.worker-Bx.js', '/src/worker/host/entries/browser.worker.ts']) {
    expect(policyOf(path)).toContain("connect-src 'self' https: http://localhost:* http://127.0.0.1:*")
    expect(policyOf(path)).toContain("script-src 'self';")
    expect(policyOf(path)).not.toContain('unsafe')
  }
})

test('the sandbox compiles WebAssembly and reaches no other host', () => {
  for (const path of ['/assets/quickjs.worker-CW0DSahr.js', '/src/worker/capabilities/js/quickjs.worker.ts']) {
    expect(policyOf(path)).toBe("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'")
  }
})

test('the shell loads its own parts and reaches nothing at all', () => {
  for (const path of ['/assets/bash.worker-CW0DSahr.js', '/src/worker/capabilities/shell/bash.worker.ts']) {
    expect(policyOf(path)).toBe("default-src 'none'; script-src 'self'; connect-src 'none'")
  }
})

test('what runs a model compiles WebAssembly, starts what its library makes of its own text, and reaches no other host', () => {
  for (const path of [
    '/assets/wllama.worker-CW0DSahr.js',
    '/src/worker/capabilities/local-models/wllama/wllama.worker.ts',
    '/assets/transformers.worker-B1.js',
    '/src/worker/capabilities/local-models/transformers/transformers.worker.ts',
  ]) {
    expect(policyOf(path)).toBe(
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' blob:; connect-src 'self' blob:; worker-src blob:",
    )
  }
})

test('every response lets the page be cross-origin isolated', () => {
  for (const path of ['/', '/assets/agent.worker-B.js', '/assets/wllama.worker-C.js', '/assets/x.wasm'])
    expect(headersFor(path)).toMatchObject({
      'Cross-Origin-Embedder-Policy': 'credentialless',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
    })
})

test('a file that only resembles a worker gets the closed policy of the page', () => {
  for (const path of [
    '/assets/agent.worker.html',
    '/agent.worker-x.js/other',
    '/assets/notagent.worker-x.js',
    '/assets/unknown.worker-x.js',
  ]) {
    expect(policyOf(path)).toBe(policyOf('/'))
  }
})

test('every response forbids guessing types and sending where one came from', () => {
  for (const path of ['/', '/assets/x.js', '/missing']) {
    expect(headersFor(path)).toMatchObject({ 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' })
  }
})

test('the policy in the page is the one of the header without what browsers refuse there', () => {
  expect(`${pagePolicyForMeta()}; frame-ancestors 'none'`).toBe(policyOf('/'))
})

test('development adds style elements and the socket of hot reload, no script', () => {
  const policy = policyOf('/', 'development')
  expect(policy).toContain("style-src 'self' 'unsafe-inline'")
  expect(policy).toContain('ws://127.0.0.1:*')
  expect(policy).toContain("script-src 'self';")
})
