// Session files of every version that was written (S12, S6): they are read for ever, and mean what they meant.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { problemsOf } from '../../kit/check-log.ts'
import { copiesWorld } from './copies-world.ts'

const fixture = (name: string): Blob => new Blob([readFileSync(fileURLToPath(new URL(`../../files/${name}`, import.meta.url)))])

test('S12 sideloop-session/1: a log comes in line by line, and goes out as the same bytes', async () => {
  const file = fixture('sideloop-session-1/one.jsonl')
  const { host, events } = copiesWorld()
  const { sessions } = await host.sessions.import({ file })
  expect(sessions).toMatchObject([{ title: 'Plain' }])
  const [, ...lines] = (await file.text()).trimEnd().split('\n')
  expect((await events(sessions[0]!.sessionId)).map((event) => JSON.stringify(event))).toEqual(lines)
  expect(await (await host.sessions.export(sessions[0]!)).file.text()).toBe(await file.text())
})

test('S12 sideloop-session/1: a zip of everything comes in with files, earlier trees and a fork', async () => {
  const { host, events, files } = copiesWorld()
  const { sessions } = await host.sessions.import({ file: fixture('sideloop-session-1/all.sideloop.zip') })
  const [fork, whole] = ['With files (fork)', 'With files'].map((title) => sessions.find((each) => each.title === title)!.sessionId)
  expect(await files(whole!)).toEqual({ '/notes/first.md': 'two', '/täglich.md': '日本 😀', '/mine.txt': 'by the person' })
  expect(await files(fork!)).toEqual({ '/notes/first.md': 'one' })
  for (const id of [fork!, whole!]) expect(problemsOf(await events(id))).toEqual([])
  const past = await host.sessions.fork({
    sessionId: whole!,
    beforeSeq: (await events(fork!)).findLast(({ type }) => type === 'turn/end')!.seq + 1,
  })
  expect(await files(past.sessionId)).toEqual({ '/notes/first.md': 'one' })
})
