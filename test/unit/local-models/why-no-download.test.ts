// A browser hides why a download failed; what can be found out is said in words about models, not about providers.
import { expect, test } from 'vitest'
import { whyNoDownload } from '../../../src/worker/host/local-models/why-no-download.ts'
import type { Surroundings } from '../../../src/worker/host/models/surroundings.ts'

const here = (more: Partial<Surroundings>): Surroundings => ({
  fetch: async () => {
    throw new TypeError('Failed to fetch')
  },
  online: () => true,
  origin: 'https://app.example',
  now: () => 0,
  localAccess: async () => 'unknown',
  isBlocked: () => false,
  ...more,
})
const FAR = 'https://models.example/a.gguf'

test.each([
  ['offline', FAR, { online: () => false }, 'this device is offline'],
  ['there, and refuses', FAR, { fetch: async () => new Response() }, 'lets no other page read its files'],
  ['stopped by the page’s policy', FAR, { isBlocked: () => true }, 'the policy of this page'],
  ['plain http behind https', 'http://models.example/a.gguf', {}, 'may not load from plain http'],
  ['a server on this computer that is off', 'http://127.0.0.1:8080/a.gguf', {}, 'nothing answers there'],
  ['this computer denied', 'http://127.0.0.1:8080/a.gguf', { localAccess: async () => 'denied' as const }, 'site settings'],
  ['no more to be found out', FAR, {}, 'the connection failed'],
])('W10 a download from a place that is %s', async (_what, url, more, words) => {
  const said = await whyNoDownload(url, new TypeError('Failed to fetch'), here(more), new AbortController().signal)
  expect(said).toContain(words)
  expect(said).not.toMatch(/provider|Base URL/i)
})
