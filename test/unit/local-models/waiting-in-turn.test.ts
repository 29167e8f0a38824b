// Two small things that local models rest on: one use after the other, and one download for all who wait.
import { describe, expect, test } from 'vitest'
import { createExclusive } from '../../../src/worker/host/local-models/exclusive.ts'
import { joinedWork } from '../../../src/worker/host/local-models/joined-work.ts'
import { gate } from '../../kit/gate.ts'

const never = new AbortController().signal

describe('W15 one use after the other', () => {
  test('the second begins when the first has ended, also when that failed', async () => {
    const turns = createExclusive()
    const first = gate()
    const said: string[] = []
    const one = turns.run(
      async () => {
        await first.opened
        said.push('one')
        throw new Error('failed')
      },
      never,
      () => said.push('one waits'),
    )
    const two = turns.run(
      async () => void said.push('two'),
      never,
      () => said.push('two waits'),
    )
    first.open()
    await expect(one).rejects.toThrow('failed')
    await two
    expect(said).toEqual(['two waits', 'one', 'two'])
  })

  test('who leaves while it waits is settled at once, and nobody behind it passes the one in front', async () => {
    const turns = createExclusive()
    const first = gate()
    const said: string[] = []
    const one = turns.run(async () => {
      await first.opened
      said.push('one')
    }, never)
    const leaving = new AbortController()
    const two = turns.run(async () => void said.push('two'), leaving.signal)
    const three = turns.run(async () => void said.push('three'), never)
    leaving.abort(new Error('left'))
    await expect(two).rejects.toThrow('left')
    expect(said).toEqual([])
    first.open()
    await Promise.all([one, three])
    expect(said).toEqual(['one', 'three'])
  })
})

describe('W15 one piece of work for all who wait', () => {
  const held = () => {
    const end = gate()
    const stops: unknown[] = []
    const work = joinedWork(async (signal) => {
      signal.addEventListener('abort', () => stops.push(signal.reason))
      await end.opened
      return 'done'
    })
    return { work, end, stops }
  }

  test('everybody gets its result', async () => {
    const { work, end } = held()
    const both = Promise.all([work.join(never), work.join(never)])
    end.open()
    expect(await both).toEqual(['done', 'done'])
  })

  test('it is told to stop when the last one has left, and not before', async () => {
    const { work, stops } = held()
    const [one, two] = [new AbortController(), new AbortController()]
    const first = work.join(one.signal)
    const second = work.join(two.signal)
    one.abort(new Error('one left'))
    await expect(first).rejects.toThrow('one left')
    expect(stops).toEqual([])
    two.abort(new Error('two left'))
    await expect(second).rejects.toThrow('two left')
    expect(stops).toEqual([two.signal.reason])
  })

  test('a failure reaches all of them', async () => {
    const work = joinedWork(async () => {
      throw new Error('broken')
    })
    await expect(work.join(never)).rejects.toThrow('broken')
    await expect(work.join(never)).rejects.toThrow('broken')
  })
})
