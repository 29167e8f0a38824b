// T33: what a run may write. Kinds that only read write nothing, a write scope is a fence, what is not known is outside.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isInside } from '../../../src/worker/hooks/write-limits.ts'
import { defineTool } from '../../../src/worker/tools/define-tool.ts'
import { statusTool } from '../../../src/worker/tools/status.ts'
import { text, toolCall } from '../../kit/replies.ts'
import { results, taskSetup, wordsIn } from './kit.ts'

const doing = (name: string, done: string[], more: { readonly readOnly?: boolean } = {}) =>
  defineTool({
    name,
    description: 'Does it.',
    parameters: { path: { type: 'string' } },
    ...more,
    execute: ({ path }) => {
      done.push(`${name} ${path ?? ''}`.trim())
      return 'done'
    },
  })

const withTools = (calls: readonly Parameters<typeof toolCall>[]) => {
  const done: string[] = []
  const tools = [
    doing('read_file', done, { readOnly: true }),
    doing('write_file', done),
    doing('run_js', done),
    doing('unknown_writer', done),
    statusTool(),
  ]
  return { ...taskSetup([...calls.map((call) => toolCall(...call)), text('report')], { tools }), done }
}

describe('T33 a kind that only reads', () => {
  test.each(['explore', 'plan'] as const)('T33 %s is refused every tool that may write, also one that nobody knows', async (kind) => {
    const { run, done, agent } = withTools([
      ['read_file', { path: '/a' }],
      ['write_file', { path: '/a' }],
      ['unknown_writer', {}],
      ['run_js', {}],
    ])
    expect(await run('look', { kind })).toMatchObject({ success: true, exitReason: 'agent_type_exit' })
    expect(done).toEqual(['read_file /a', 'run_js'])
    const refused = results(agent.session.events).filter(({ data }) => data.isError)
    expect(refused.map(({ data }) => data.error?.code)).toEqual(['DENIED', 'DENIED'])
    expect(wordsIn(refused[0]!.data.content)).toContain(`"${kind}" only reads`)
  })

  test('T33 a policy that allows it does not outweigh that', async () => {
    const { run, done, runtime } = withTools([['write_file', { path: '/a' }]])
    runtime.on('tools/pre-execute', async () => ({ kind: 'allow' }), { prepend: true })
    await run('look', { kind: 'explore' })
    expect(done).toEqual([])
  })

  test('T33 the other kinds write', async () => {
    const { run, done } = withTools([
      ['write_file', { path: '/a' }],
      ['unknown_writer', {}],
    ])
    await run('do it', { kind: 'setup' })
    expect(done).toEqual(['write_file /a', 'unknown_writer'])
  })

  test('T33 outside of the run the same agent writes', async () => {
    const { run, done, agent, model } = withTools([])
    await run('look', { kind: 'explore' })
    model.add(toolCall('write_file', { path: '/a' }), text('ok'))
    agent.send('chat')
    await agent.whenIdle()
    expect(done).toEqual(['write_file /a'])
  })
})

describe('T33 a write scope', () => {
  test('T33 limits the rest to its folders; unknown targets fail closed', async () => {
    const { run, done, agent } = withTools([
      ['write_file', { path: '/notes/a.md' }],
      ['write_file', { path: '/notebook/a.md' }],
      ['write_file', { path: '/notes/../etc/a' }],
      ['write_file', {}],
      ['unknown_writer', { path: '/notes/a.md' }],
      ['read_file', { path: '/etc/a' }],
      ['run_js', {}],
    ])
    await run('do it', { kind: 'setup', writeScope: ['/notes', '/out/'] })
    expect(done).toEqual(['write_file /notes/a.md', 'read_file /etc/a', 'run_js'])
    const denied = results(agent.session.events).filter(({ data }) => data.error?.code === 'DENIED')
    expect(denied).toHaveLength(4)
    expect(wordsIn(denied[0]!.data.content)).toContain('/notes, /out/')
  })

  test('T33 that is empty lets nothing be written', async () => {
    const { run, done } = withTools([['write_file', { path: '/a' }]])
    await run('do it', { kind: 'setup', writeScope: [] })
    expect(done).toEqual([])
  })

  test.each([
    ['/notes/a', '/notes', true],
    ['/notes', '/notes', true],
    ['//notes//./a', '/notes/', true],
    ['/a', '/', true],
    ['a', '/work', true],
    ['./a/b', '/work/a', true],
    ['/notesx/a', '/notes', false],
    ['/', '/notes', false],
    ['/notes/..', '/notes', false],
    ['..', '/', false],
    ['\\notes\\a', '/notes', false],
    ['/notes/a', '/notes/..', false],
    ['/caf\u00e9/a', '/cafe\u0301', true],
  ])('T33 %j is inside of %j: %s', (path, folder, expected) => {
    expect(isInside(path, folder, '/work')).toBe(expected)
  })

  test('T33 whatever the path is, nothing that climbs is inside', () => {
    const part = fc.constantFrom('..', '.', '', 'a', 'b')
    fc.assert(
      fc.property(fc.array(part, { minLength: 1 }), (parts) => {
        const path = `/${parts.join('/')}`
        if (parts.includes('..')) expect(isInside(path, '/')).toBe(false)
        if (isInside(path, '/a')) expect(parts.find((each) => each !== '' && each !== '.')).toBe('a')
      }),
    )
  })
})
