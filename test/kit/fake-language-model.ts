// A built-in model of the browser for tests: the object `LanguageModel`, scripted. Streams for real, honours signals, counts tokens as words.
import type { LanguageModelApi, LanguageModelSession } from '../../src/worker/client/prompt-api.ts'
import type { Gate } from './gate.ts'

type Prompts = readonly { readonly role: string; readonly content: string }[]
export type FakeReply = {
  /** An error is where the stream breaks, a gate where it waits. */
  readonly chunks: readonly (string | Error | Gate)[]
  /** The download that comes first, as the browser tells it. */
  readonly download?: readonly number[]
  readonly refuses?: DOMException
}

export type FakeLanguageModel = LanguageModelApi & {
  /** What each session was made with and asked. */
  readonly asked: readonly { readonly initial: Prompts; readonly input: Prompts; readonly temperature: number | undefined }[]
  /** Sessions that were not let go. */
  readonly alive: number
  availabilityIs(availability: Awaited<ReturnType<LanguageModelApi['availability']>>): void
}

const words = (prompts: Prompts): number => prompts.reduce((sum, { content }) => sum + content.split(/\s+/).filter(Boolean).length, 0)

/** `window`: of its context, in words. */
export const fakeLanguageModel = (replies: readonly FakeReply[], window = 1000): FakeLanguageModel => {
  const asked: { readonly initial: Prompts; readonly input: Prompts; readonly temperature: number | undefined }[] = []
  let availability: Awaited<ReturnType<LanguageModelApi['availability']>> = 'available'
  let alive = 0
  let played = 0
  return {
    asked,
    get alive() {
      return alive
    },
    availabilityIs(next) {
      availability = next
    },
    availability: async () => availability,
    params: async () => ({ defaultTopK: 3, maxTemperature: 2 }),
    async create({ initialPrompts = [], monitor, signal, temperature }): Promise<LanguageModelSession> {
      signal.throwIfAborted()
      const reply = replies[played] ?? { chunks: [new Error('The script is exhausted')] }
      played += 1
      monitor({
        addEventListener: (_, listener) => {
          for (const loaded of reply.download ?? []) listener({ loaded })
        },
      })
      if (reply.refuses !== undefined) throw reply.refuses
      let usage = words(initialPrompts)
      if (usage > window) throw new DOMException('The input is too large.', 'QuotaExceededError')
      alive += 1
      return {
        get contextUsage() {
          return usage
        },
        contextWindow: window,
        measureContextUsage: async (input) => words(input),
        destroy: () => {
          alive -= 1
        },
        promptStreaming(input, options) {
          asked.push({ initial: initialPrompts, input, temperature })
          usage += words(input)
          const left = [...reply.chunks]
          return new ReadableStream<string>({
            start(controller) {
              options.signal.addEventListener('abort', () => controller.error(options.signal.reason), { once: true })
            },
            async pull(controller) {
              let next = left.shift()
              while (next !== undefined && typeof next === 'object' && !(next instanceof Error)) {
                next.arrive()
                await next.opened
                next = left.shift()
              }
              if (next === undefined) return controller.close()
              if (next instanceof Error) return controller.error(next)
              usage += 1
              controller.enqueue(next)
            },
          })
        },
      }
    },
  }
}
