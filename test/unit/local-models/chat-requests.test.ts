// A request of OpenAI chat in the form that chat templates want, and the room that it leaves for an answer.
import { describe, expect, test } from 'vitest'
import { roomFor, stopsOf, templateMessages } from '../../../src/worker/capabilities/local-models/transformers/chat-request.ts'
import { classifyFailure } from '../../../src/worker/llm/failures.ts'

const messages = [{ role: 'user', content: 'hi' }]

describe('W15 a request for a chat template', () => {
  test('arguments of calls are values, as templates print them; what cannot be read stays text', () => {
    const call = (json: string) => ({ id: 'a1', type: 'function', function: { name: 'ls', arguments: json } })
    const [whole, broken] = templateMessages([
      { role: 'assistant', content: null, tool_calls: [call('{"path":"/"}')] },
      { role: 'assistant', content: 'Look:', tool_calls: [call('{"path":')] },
    ])
    expect(whole).toEqual({
      role: 'assistant',
      content: '',
      tool_calls: [{ ...call(''), function: { name: 'ls', arguments: { path: '/' } } }],
    })
    expect(broken).toMatchObject({ content: 'Look:', tool_calls: [{ function: { arguments: '{"path":' } }] })
  })

  test('what belongs to a message beside its text stays', () => {
    const result = { role: 'tool', tool_call_id: 'a1', content: 'a.txt' }
    expect(templateMessages([result])).toEqual([result])
  })

  test('an answer has what is asked for, if there is room', () => {
    expect(roomFor({ messages }, 100, 512)).toBe(412)
    expect(roomFor({ messages, max_tokens: 5 }, 100, 512)).toBe(5)
    expect(roomFor({ messages, max_completion_tokens: 6 }, 100, 512)).toBe(6)
    expect(roomFor({ messages, max_tokens: 1000 }, 100, 512)).toBe(412)
  })

  test('a prompt that fills the window is a context overflow for the failure table', () => {
    const words = 'the request (512 tokens) exceeds the available context size (512 tokens)'
    expect(() => roomFor({ messages }, 512, 512)).toThrow(words)
    expect(classifyFailure({ body: { error: { message: words } } }).class).toBe('context_overflow')
  })

  test('one word to stop at may come alone; an empty one is none', () => {
    expect(stopsOf({ messages, stop: 'END' })).toEqual(['END'])
    expect(stopsOf({ messages, stop: ['', 'END'] })).toEqual(['END'])
    expect(stopsOf({ messages })).toEqual([])
  })
})
