// What the runner has to know of a vendor to judge its cases: one object each, listed in vendors.ts.
import type { ImageBlock } from '../../../src/storage/log/content.ts'
import type { Chunk } from '../../../src/storage/log/model-call.ts'
import type { LlmAdapter, LlmRequest, ModelInfo } from '../../../src/worker/hooks/llm.ts'
import type { Fetch } from '../../../src/worker/llm/adapters/stream-response.ts'
import type { ReaderContext, ReplyReader } from '../../../src/worker/llm/wire/reply-reader.ts'
import type { Fields } from '../expectations.ts'

export type Vendor = {
  readonly api: string
  /** Names under which `request-headers` and `error-bodies` cases mean this vendor, besides its api. */
  readonly providers: readonly string[]
  readonly reader: (context: ReaderContext, emit: (chunk: Chunk) => void) => ReplyReader
  /** The body of a request. Model names in cases are made up. */
  readonly write: (request: LlmRequest, info: ModelInfo, picture: (block: ImageBlock) => string | undefined) => Fields
  /** The vendor's history checker. `idPattern`: what the case says of call ids. */
  readonly historyProblems: (body: Fields, idPattern?: RegExp) => readonly string[]
  readonly adapter: (options: { readonly baseUrl: string; readonly key?: string; readonly fetch: Fetch }) => LlmAdapter
  /** What a written history holds, in its order. */
  readonly contents: (body: Fields) => HistoryContents
  /** What a case says of the next request, but for `rule`. `body`: user, the reply, a result for each call. */
  readonly judgeReplay: (wanted: Fields, body: Fields, where: string) => readonly string[]
}

export type HistoryContents = {
  readonly calls: readonly { readonly id: string /** parsed */; readonly args: unknown }[]
  readonly results: readonly { readonly id: string; readonly text: string }[]
  readonly pictures: number
}
