// What comes from a page is checked before anything is done with it.
import { expect, test } from 'vitest'
import type { AgentHost } from '../../../src/worker/protocol/agent-host.ts'
import { checkCommands } from '../../../src/worker/protocol/commands.ts'

type Call = readonly [string, unknown]

/** A host that notes what reaches it. */
const recordingHost = (): { readonly host: AgentHost; readonly calls: Call[] } => {
  const calls: Call[] = []
  const group = (name: string): object =>
    new Proxy({}, { get: (_, command) => async (input: unknown) => void calls.push([`${name}.${String(command)}`, input]) })
  const host = new Proxy({}, { get: (_, name) => group(String(name)) }) as AgentHost
  return { host: checkCommands(host), calls }
}

const refused = (run: (host: AgentHost) => Promise<unknown>) => expect(run(recordingHost().host)).rejects

const block = { type: 'text', text: 'hi' } as const

test('H1 a good command arrives as it is, without what nobody asked for', async () => {
  const { host, calls } = recordingHost()
  const extra = { sessionId: 's', messageId: 'm', content: [{ ...block, style: 'bold' }], admin: true }
  await host.drive.send(extra)
  await host.sessions.create({})
  expect(calls).toEqual([
    ['drive.send', { sessionId: 's', messageId: 'm', content: [block] }],
    ['sessions.create', {}],
  ])
})

test('H1 what does not fit is refused with the command and the place, and reaches nobody', async () => {
  const { host, calls } = recordingHost()
  const wrong = (input: unknown): never => input as never
  const cases: readonly (readonly [Promise<unknown>, string])[] = [
    [host.drive.send(wrong(null)), 'drive.send'],
    [host.drive.send(wrong({ messageId: 'm', content: [block] })), 'sessionId must be text'],
    [host.drive.send({ sessionId: '', messageId: 'm', content: [block] }), 'sessionId must not be empty'],
    [host.drive.send({ sessionId: 's', messageId: 'm', content: [] }), 'content must hold'],
    [
      host.drive.send(wrong({ sessionId: 's', messageId: 'm', content: [{ type: 'tool-result' }] })),
      'content[0].type must be one of: text, image',
    ],
    [host.drive.send(wrong({ sessionId: 's', messageId: 'm', content: [{ type: '__proto__' }] })), 'content[0].type'],
    [host.drive.send(wrong({ sessionId: 's', messageId: 'm', content: [{ type: 'text', text: 5 }] })), 'content[0].text must be text'],
    [host.drive.send({ sessionId: 's'.repeat(201), messageId: 'm', content: [block] }), 'must not be longer than 200'],
    [host.drive.cancel(wrong({ sessionId: 's', queue: 'drop' })), 'queue must be one of: clear, hold'],
    [host.log.read({ sessionId: 's', after: -2 }), 'after must be a whole number from -1'],
    [host.log.read({ sessionId: 's', after: 0.5 }), 'after'],
    [host.log.watch(wrong({ sessionId: 's', after: -1, port: {} })), 'port must be a MessagePort'],
    [host.sessions.configure({ sessionId: 's', options: { temperature: 3 } }), 'options.temperature must be a number from 0 to 2'],
    [host.queue.move(wrong({ sessionId: 's', messageId: 'm' })), 'before'],
    [
      host.models.save(wrong({ provider: { id: 'Open AI', label: '', api: 'openai-chat', baseUrl: 'https://a.test', models: [] } })),
      'provider.id must be made of',
    ],
    [
      host.models.save(wrong({ provider: { id: 'a', label: '', api: 'openai-chat', baseUrl: 'javascript:1', models: [] } })),
      'provider.baseUrl',
    ],
  ]
  for (const [call, place] of cases) {
    await expect(call).rejects.toMatchObject({ code: 'command/invalid', message: expect.stringContaining(place) })
  }
  expect(calls).toEqual([])
})

test('H1 a missing input and an array are no input', async () => {
  await refused((host) => host.sessions.list(undefined as never)).toMatchObject({ code: 'command/invalid' })
  await refused((host) => host.drive.continue([] as never)).toMatchObject({ code: 'command/invalid' })
})

test('H1 null, where the command allows it, is kept', async () => {
  const { host, calls } = recordingHost()
  await host.queue.move({ sessionId: 's', messageId: 'm', before: null })
  expect(calls).toEqual([['queue.move', { sessionId: 's', messageId: 'm', before: null }]])
})
