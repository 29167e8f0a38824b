// B11 and B12: the reader of every vendor on a long reply, in network-sized and in 7-byte pieces, beside a reader of the AI SDK in the same run.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { READERS, weighPackage, weighReader } from '../../scripts/size.mjs'
import { openaiChat } from '../../src/worker/llm/adapters/openai-chat.ts'
import type { Fetch } from '../../src/worker/llm/adapters/stream-response.ts'
import type { Vendor } from '../cases/vendors/vendor.ts'
import { VENDORS } from '../cases/vendors.ts'
import { calibrate, report, timePerCall } from './calibration.ts'
import { threadClock } from './thread-clock.ts'
import { BENCH_VENDORS, type BenchVendor, bodyOf, cut } from './vendor-bodies.ts'

const EVENTS = 10_000
/** Of small pieces there are many, and the package needs so long for them, that fewer must do. */
const FEW_EVENTS = 3000
/** The clock of a thread goes on by milliseconds: a round has to be long beside them. */
const TIMES = 10
const NETWORK = 1400
const SMALL = 7
/** "Five times the usual reader." */
const WANTED = 5

const readerOf = (vendor: BenchVendor): Vendor['reader'] => {
  const found = VENDORS.find(({ api, providers }) => api === vendor || providers.includes(vendor))
  if (found === undefined) throw new Error(`Nobody reads ${vendor}.`)
  return found.reader
}

let chunks = 0
const read = (make: Vendor['reader'], pieces: readonly Uint8Array[]) => {
  let ended = false
  const reader = make({ newId: () => 'made-up' }, (chunk) => {
    chunks += 1
    if (chunk.type === 'finish') ended = chunk.reason.kind === 'stop'
  })
  for (const piece of pieces) reader.push(piece)
  reader.end()
  if (!ended) throw new Error('A reader did not come to its end.')
}
const perEvent = (vendor: BenchVendor, events: number, size: number): number => {
  const pieces = cut(bodyOf(vendor, events), size)
  const make = readerOf(vendor)
  read(make, pieces)
  return timePerCall(events, () => read(make, pieces), threadClock.now)
}

/** All over the same response, so that streams and promises count for all; `drained` is what the platform takes for those alone. */
const perEventOver = async (consume: (fetch: Fetch) => Promise<number>, events: number, size: number): Promise<number> => {
  const pieces = cut(bodyOf('openai-chat', events), size)
  const fetch: Fetch = async () => {
    let at = 0
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = pieces[at]
        at += 1
        if (piece === undefined) controller.close()
        else controller.enqueue(piece)
      },
    })
    return new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
  }
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 4; round += 1) {
    const start = threadClock.now()
    for (let time = 0; time < TIMES; time += 1) if ((await consume(fetch)) < events) throw new Error('Something was not read.')
    best = Math.min(best, ((threadClock.now() - start) * 1000) / (events * TIMES))
  }
  return best
}

const drained = async (fetch: Fetch): Promise<number> => {
  const { body } = await fetch('', {})
  let seen = 0
  for (const bytes = body?.getReader(); ; ) {
    const read = await bytes?.read()
    if (read?.value === undefined) return seen
    seen += read.value.length
  }
}
const ours = async (fetch: Fetch): Promise<number> => {
  let seen = 0
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hi' }] }]
  for await (const chunk of openaiChat({ baseUrl: 'https://v.example/v1', fetch }).stream({ provider: 'p', model: 'm', messages })) {
    if (chunk.type === 'text-delta') seen += 1
  }
  return seen
}
const theirs = async (fetch: Fetch): Promise<number> => {
  const model = createOpenAICompatible({
    name: 'bench',
    baseURL: 'https://v.example/v1',
    fetch: (url, init) => fetch(String(url), init ?? {}),
  })('m')
  const { stream } = await model.doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] })
  let seen = 0
  for (const parts = stream.getReader(); ; ) {
    const { done, value } = await parts.read()
    if (done) return seen
    if (value.type === 'text-delta') seen += 1
  }
}

const calibration = calibrate(threadClock.now)
const sdk = { large: await perEventOver(theirs, EVENTS, NETWORK), small: await perEventOver(theirs, FEW_EVENTS, SMALL) }
const platform = { large: await perEventOver(drained, EVENTS, NETWORK), small: await perEventOver(drained, FEW_EVENTS, SMALL) }
const adapter = { large: await perEventOver(ours, EVENTS, NETWORK), small: await perEventOver(ours, FEW_EVENTS, SMALL) }
const figures = BENCH_VENDORS.map((vendor) => ({
  vendor,
  large: perEvent(vendor, EVENTS, NETWORK),
  small: perEvent(vendor, FEW_EVENTS, SMALL),
  long: perEvent(vendor, EVENTS * 10, NETWORK),
}))

/** The report counts in clones of the machine on which limits were set, which took 2 µs. */
const fifth = (us: number): number => (us / WANTED / calibration) * 2
report(calibration, [
  { what: 'B11 @ai-sdk/openai-compatible, 1,400-byte pieces', us: sdk.large, limitUs: Number.POSITIVE_INFINITY },
  { what: 'B11 @ai-sdk/openai-compatible, 7-byte pieces', us: sdk.small, limitUs: Number.POSITIVE_INFINITY },
  { what: 'B11 the same response, only drained, 1,400 bytes', us: platform.large, limitUs: Number.POSITIVE_INFINITY },
  { what: 'B11 the same response, only drained, 7 bytes', us: platform.small, limitUs: Number.POSITIVE_INFINITY },
  { what: 'B11 our adapter, the same response, 1,400 bytes', us: adapter.large, limitUs: fifth(sdk.large) },
  { what: 'B11 our adapter, the same response, 7 bytes', us: adapter.small, limitUs: fifth(sdk.small) },
  ...figures.flatMap(({ vendor, large, small }) => [
    { what: `B11 ${vendor} reader, 1,400-byte pieces`, us: large, limitUs: fifth(sdk.large) },
    { what: `B11 ${vendor} reader, 7-byte pieces`, us: small, limitUs: fifth(sdk.small) },
  ]),
])

const times = (slow: number, fast: number): string => `${(slow / fast).toFixed(1)} ×`.padStart(9)
console.log('\nB11 faster than the SDK    1,400 bytes  7 bytes   time for ten times the length')
console.log(`${'our adapter'.padEnd(26)} ${times(sdk.large, adapter.large)} ${times(sdk.small, adapter.small)}`)
for (const { vendor, large, small, long } of figures) {
  console.log(`${vendor.padEnd(26)} ${times(sdk.large, large)} ${times(sdk.small, small)}        ${((10 * long) / large).toFixed(1)} ×`)
}

console.log('\nB12 gzipped')
for (const [what, folder] of Object.entries(READERS))
  console.log(`${what.padEnd(26)} ${((await weighReader(folder)) / 1024).toFixed(1)} KB`)
console.log(`${'@ai-sdk/openai-compatible'.padEnd(26)} ${((await weighPackage('@ai-sdk/openai-compatible')) / 1024).toFixed(1)} KB`)
if (chunks === 0) throw new Error('The readers gave nothing.')
