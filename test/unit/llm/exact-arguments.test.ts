// Arguments that a server sent as an object (W8): as text again they are what was sent, not what parsing made of it.
import { expect, test } from 'vitest'
import { exactArguments } from '../../../src/worker/llm/wire/exact-arguments.ts'

test.each(['{"x":1e400}', '{"x":-1e999}', '{"x":9.007199254740993e15}', '{"x":9007199254740993.0}', '{"x":12345678901234567890}'])(
  'W8 %s is passed on as it was sent',
  (args) => {
    const data = `{"message":{"tool_calls":[{"function":{"name":"f","arguments":${args}}}]}}`
    expect(exactArguments(JSON.parse(args), 0, data)).toBe(args)
  },
)
