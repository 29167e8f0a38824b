// A view of a list that grows: as long as it was, however it is read.
import { expect, test } from 'vitest'
import { snapshotView } from '../../../src/storage/log/snapshot-view.ts'

test('going through a view gives what was there when it was made, also while the list grows', () => {
  const list = ['a', 'b', 'c']
  const view = snapshotView(list, 3)
  const seen: string[] = []
  for (const item of view) {
    list.push(`${item}!`)
    seen.push(item)
  }
  expect(seen).toEqual(['a', 'b', 'c'])
  expect([...view]).toEqual(['a', 'b', 'c'])
  expect(Array.from(view)).toEqual(['a', 'b', 'c'])
  expect(new Set(view).size).toBe(3)
  const [first, ...rest] = view
  expect([first, rest]).toEqual(['a', ['b', 'c']])
})

test('going through it twice, or two at a time, gives the same', () => {
  const view = snapshotView([1, 2, 3, 4], 2)
  const pairs: number[][] = []
  for (const a of view) for (const b of view) pairs.push([a, b])
  expect(pairs).toEqual([
    [1, 1],
    [1, 2],
    [2, 1],
    [2, 2],
  ])
})
