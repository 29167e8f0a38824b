// A whole log against its JSON Lines fixture in test/sessions: the header first, then an event a line. Node only.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import type { SessionEvent, SessionHeader } from '../../src/storage/log/events.ts'

const golden = (name: string): readonly string[] =>
  readFileSync(fileURLToPath(new URL(`../sessions/golden-${name}.jsonl`, import.meta.url)), 'utf8')
    .trimEnd()
    .split('\n')

export const expectGolden = (session: { readonly header: SessionHeader; readonly events: readonly SessionEvent[] }, name: string): void => {
  expect([session.header, ...session.events].map((line) => JSON.stringify(line))).toEqual(golden(name))
}
