// The way into the demo's rules: from a request to what is said next.
import type { LlmRequest } from '../../../hooks/llm.ts'
import { answer } from './answer.ts'
import { readConversation } from './read-conversation.ts'
import type { DemoReply } from './script.ts'

export const nextReply = ({ messages, provider, tools = [] }: LlmRequest): DemoReply =>
  answer(
    readConversation(messages, provider),
    tools.map(({ name }) => name),
  )
