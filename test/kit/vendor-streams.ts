// By vendor: how the parts of a scripted reply are streamed.
import { anthropicStream } from './anthropic-stream.ts'
import { chatStream } from './chat-stream.ts'
import { geminiStream } from './gemini-stream.ts'
import { ollamaStream } from './ollama-stream.ts'
import { responsesStream } from './responses-stream.ts'
import type { WriteStream } from './server-replies.ts'

export const VENDOR_STREAMS = {
  'openai-chat': chatStream,
  'openai-responses': responsesStream,
  'anthropic-messages': anthropicStream,
  gemini: geminiStream,
  'ollama-chat': ollamaStream,
} satisfies Readonly<Record<string, WriteStream>>
export type StreamingVendor = keyof typeof VENDOR_STREAMS
