// B11: the reader of every vendor on a long reply, in network-sized and in 7-byte pieces, and that its time grows with the length only.

import type { Vendor } from '../cases/vendors/vendor.ts'
import { VENDORS } from '../cases/vendors.ts'
import { text } from '../kit/replies.ts'
import { VENDOR_STREAMS } from '../kit/vendor-streams.ts'
import { calibrate, report, timePerCall } from './calibration.ts'

const EVENTS = 20_000

const stream = (vendor: Vendor, events: number): Uint8Array => {
  const write = Object.entries(VENDOR_STREAMS).find(([api]) => api === vendor.api)?.[1]
  if (write === undefined) throw new Error(`Nobody streams as ${vendor.api}.`)
  const chunks = Array.from({ length: events }, (_, index) => `word${index} `)
  return new TextEncoder().encode([...write([text(chunks.join(''), { chunks })])].join(''))
}

const cut = (bytes: Uint8Array, size: number): readonly Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size))

let chunks = 0
const perEvent = (vendor: Vendor, events: number, size: number): number => {
  const pieces = cut(stream(vendor, events), size)
  return timePerCall(events, () => {
    const reader = vendor.reader({ newId: () => 'made-up' }, () => {
      chunks += 1
    })
    for (const piece of pieces) reader.push(piece)
    reader.end()
  })
}

const calibration = calibrate()
for (const vendor of VENDORS) perEvent(vendor, 2000, 1400)

// A fifth of what @ai-sdk/openai-compatible needed on OpenAI chat's bytes, measured beside a clone of 2.2 µs: 22 µs and 133 µs an event.
report(
  calibration,
  VENDORS.flatMap((vendor) => [
    { what: `B11 ${vendor.api}: an event, pieces of 1,400 bytes`, us: perEvent(vendor, EVENTS, 1400), limitUs: 4 },
    { what: `B11 ${vendor.api}: an event, pieces of 7 bytes`, us: perEvent(vendor, EVENTS, 7), limitUs: 24 },
    { what: `B11 ${vendor.api}: an event of a reply ten times as long`, us: perEvent(vendor, EVENTS * 10, 1400), limitUs: 4 },
  ]),
)
if (chunks === 0) throw new Error('The readers gave nothing.')
