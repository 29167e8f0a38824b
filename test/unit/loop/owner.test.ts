// L72: an owner undoes what it owns, newest first, each once and to quiescence.
import { expect, test } from 'vitest'
import { createOwner } from '../../../src/worker/loop/owner.ts'
import { gate } from '../../kit/gate.ts'

const newOwner = () => {
  const reported: unknown[] = []
  return { owner: createOwner((error) => void reported.push(error)), reported }
}

test('L72 what is owned is undone newest first, each awaited', async () => {
  const { owner } = newOwner()
  const seen: string[] = []
  owner.own(() => void seen.push('a'))
  owner.own(async () => {
    seen.push('b begins')
    await Promise.resolve()
    seen.push('b ends')
  })
  owner.own(() => void seen.push('c'))
  await owner.dispose()
  expect(seen).toEqual(['c', 'b begins', 'b ends', 'a'])
})

test('L72 a disposer that is called early undoes early, and calling it again changes nothing', async () => {
  const { owner } = newOwner()
  let undone = 0
  const off = owner.own(() => void undone++)
  await off()
  await off()
  await owner.dispose()
  expect(undone).toBe(1)
})

test('L24 a disposal waits for a disposer that was called early and has not finished', async () => {
  const { owner } = newOwner()
  const pause = gate()
  const seen: string[] = []
  const off = owner.own(async () => {
    await pause.opened
    seen.push('undone')
  })
  void off()
  const disposing = owner.dispose().then(() => seen.push('disposed'))
  pause.open()
  await disposing
  expect(seen).toEqual(['undone', 'disposed'])
})

test('L23 all that takes time is told to end at once, before anything is undone', async () => {
  const { owner } = newOwner()
  const seen: string[] = []
  for (const name of ['a', 'b'])
    owner.own(
      () => void seen.push(`${name} undone`),
      () => void seen.push(`${name} told`),
    )
  const disposing = owner.dispose()
  expect(seen.slice(0, 2)).toEqual(['a told', 'b told'])
  await disposing
  expect(seen.slice(2)).toEqual(['b undone', 'a undone'])
})

test('L72 what is owned too late is undone at once and refused', async () => {
  const { owner, reported } = newOwner()
  await owner.dispose()
  let undone = 0
  expect(() => owner.own(() => void undone++)).toThrow(expect.objectContaining({ code: 'agent/disposed' }))
  expect(undone).toBe(1)
  expect(owner.disposed).toBe(true)
  expect(reported).toEqual([])
})

test('L41 a disposer that fails, at once or later, is reported and keeps no other', async () => {
  const { owner, reported } = newOwner()
  let undone = 0
  owner.own(() => void undone++)
  owner.own(() => {
    throw new Error('at once')
  })
  owner.own(() => Promise.reject(new Error('later')))
  await owner.dispose()
  expect(undone).toBe(1)
  expect(reported).toEqual([new Error('later'), new Error('at once')])
})
