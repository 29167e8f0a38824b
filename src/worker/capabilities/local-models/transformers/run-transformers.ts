// transformers.js as an engine: the only file that loads that package. It is given a model's files and fetches none.
import {
  AutoModelForCausalLM,
  AutoTokenizer,
  env,
  InterruptableStoppingCriteria,
  LogLevel,
  type PreTrainedModel,
  type PreTrainedTokenizer,
  TextStreamer,
} from '@huggingface/transformers'
import { messageOf } from '../../../../storage/log/errors.ts'
import type { AnswerListener, WeightFile } from '../engine.ts'
import { EngineCrash, type EngineInWorker } from '../serve-engine.ts'
import { type ChatRequest, roomFor, stopsOf, templateMessages } from './chat-request.ts'
import { type Conversation, conversationWith } from './conversation.ts'
import { type Gpu, gpuHere } from './gpu.ts'
import { trainedLength } from './model-facts.ts'
import { type GivenParts, partsOf } from './model-files.ts'
import { stopTexts } from './stop-texts.ts'
import { tokenText } from './token-text.ts'

/** ONNX Runtime's build for WebGPU, which runs without it, too. */
const WASM = new URL('onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm', import.meta.url).href
const SCRIPT = new URL('onnxruntime-web/ort-wasm-simd-threaded.asyncify.mjs', import.meta.url).href
/** What the package takes for the name of a repository. */
const NAME = 'model'

type Loaded = {
  readonly conversation: Conversation
  readonly tokenizer: PreTrainedTokenizer
  readonly contextWindow: number
  /** Jinja, from a file of its own; without it the tokenizer has one. */
  readonly template: string | null
  /** Tokens that end an answer. */
  readonly ends: ReadonlySet<bigint>
}

/** One model in the life of its worker: a failure in WebAssembly fails everything after it, and its memory never shrinks. */
export const transformersInWorker = (): EngineInWorker => {
  let loaded: Loaded | undefined
  return {
    async warm() {
      const { wasm } = env.backends.onnx
      if (wasm === undefined || wasm.wasmBinary !== undefined) return
      const [binary, script] = await Promise.all([fetched(WASM), fetched(SCRIPT)])
      // A blob, because its threads are workers of its own address. Without it the package loads the script from another site.
      wasm.wasmPaths = { wasm: WASM, mjs: URL.createObjectURL(new Blob([script], { type: 'text/javascript' })) }
      wasm.wasmBinary = binary
    },
    async load(files, settings) {
      const parts = partsOf(files.map(({ name }) => name))
      serveFrom(files)
      const tokenizer = await AutoTokenizer.from_pretrained(NAME)
      const model = await AutoModelForCausalLM.from_pretrained(NAME, { ...parts, device: deviceFor(await gpuHere(), parts) })
      givesWay(model)
      const template = (await files.find(({ name }) => name === 'chat_template.jinja')?.blob.text()) ?? null
      const contextWindow = Math.min(settings.contextWindow, trainedLength(model.config) ?? settings.contextWindow)
      loaded = { conversation: conversationWith(model), tokenizer, contextWindow, template, ends: endsOf(model, tokenizer) }
      return { contextWindow }
    },
    async answer(body, on, signal) {
      if (loaded === undefined) throw new EngineCrash('nothing was loaded')
      await answer(loaded, body as ChatRequest, on, signal)
    },
  }
}

/** Without a network the browser's cache may have it, of whatever age. */
const fetched = async (address: string): Promise<ArrayBuffer> => {
  const response = await fetch(address).catch(() => fetch(address, { cache: 'force-cache' }))
  if (!response.ok) throw new Error(`${address}: status ${response.status}`)
  return response.arrayBuffer()
}

/** The files are the package's cache, and there is no network behind it. */
const serveFrom = (files: readonly WeightFile[]): void => {
  const folder = `/${NAME}/`
  env.logLevel = LogLevel.NONE // it writes whole conversations to the console
  env.localModelPath = '/'
  env.allowLocalModels = true
  env.allowRemoteModels = false
  env.useBrowserCache = false
  env.useCustomCache = true
  env.customCache = {
    match: async (address: string) => {
      const blob = files.find(({ name }) => address === `${folder}${name}`)?.blob
      return blob === undefined ? undefined : new Response(blob, { headers: { 'content-length': String(blob.size) } })
    },
    put: async () => {},
  }
  env.fetch = async () => new Response(null, { status: 404 })
}

const deviceFor = (gpu: Gpu, { dtype }: GivenParts): 'webgpu' | 'wasm' => {
  const half = Object.values(dtype).some((each) => each.endsWith('16'))
  return gpu === 'half' || (gpu === 'single' && !half) ? 'webgpu' : 'wasm'
}

/** Computing waits for nothing, so between two tokens it lets messages in: one may say stop. */
const givesWay = (model: PreTrainedModel): void => {
  const forward = model.forward.bind(model)
  const { port1, port2 } = new MessageChannel()
  model.forward = async (inputs) => {
    await new Promise((resolve) => {
      port1.onmessage = resolve
      port2.postMessage(null)
    })
    return forward(inputs)
  }
}

/** Makers name the end of an answer in one of three places, and not always in the same. */
const endsOf = (model: PreTrainedModel, tokenizer: PreTrainedTokenizer): ReadonlySet<bigint> => {
  const { eos_token_id: ofConfig }: Readonly<Record<string, unknown>> = { ...model.config }
  const named = [model.generation_config?.eos_token_id, ofConfig, tokenizer.eos_token_id].flat()
  return new Set(named.filter((id) => typeof id === 'number').map(BigInt))
}

/** A template may have begun the thinking at the end of the prompt; a reader has to see that it began. */
const begunThinking = (prompt: string): string => /<think(ing)?>\s*$/.exec(prompt)?.[0] ?? ''

const answer = async (
  { conversation, tokenizer, contextWindow, template, ends }: Loaded,
  request: ChatRequest,
  on: AnswerListener,
  signal: AbortSignal,
): Promise<void> => {
  const prompt = tokenizer.apply_chat_template(templateMessages(request.messages), {
    tools: request.tools === undefined ? null : [...request.tools],
    chat_template: template,
    add_generation_prompt: true,
    tokenize: false,
  })
  const inputs = tokenizer(prompt, { add_special_tokens: false })
  const promptTokens = inputs.input_ids.dims.at(-1) ?? 0
  const max_new_tokens = roomFor(request, promptTokens, contextWindow)

  const send = (choice: object, more: object = {}): void => {
    if (!signal.aborted) on.event(JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, ...choice }], ...more }))
  }
  const interruption = new InterruptableStoppingCriteria()
  const stops = stopTexts(stopsOf(request))
  const text = tokenText((tokens) => tokenizer.decode(tokens, { skip_special_tokens: false, clean_up_tokenization_spaces: false }))
  const tell = (content: string): void => {
    if (content !== '') send({ delta: { content }, finish_reason: null })
  }
  let promptIsRead = false
  let tokens = 0
  let ended = false
  const put = ([piece = []]: bigint[][]): void => {
    if (!promptIsRead) {
      promptIsRead = true // the first piece is the prompt itself
      return
    }
    if (tokens === 0) on.reading?.(1)
    tokens += piece.length
    for (const token of piece) {
      ended = ends.has(token)
      if (!ended) tell(stops.push(text.push(token)))
    }
    if (stops.stopped) interruption.interrupt()
  }

  send({ delta: { role: 'assistant', content: begunThinking(prompt) }, finish_reason: null })
  signal.addEventListener('abort', () => interruption.interrupt(), { once: true })
  try {
    await conversation.goOn(
      inputs,
      {
        max_new_tokens,
        eos_token_id: [...ends].map(Number),
        stopping_criteria: interruption,
        streamer: Object.assign(new TextStreamer(tokenizer), { put, end: () => {} }),
        ...(request.temperature === undefined ? {} : { temperature: request.temperature, do_sample: request.temperature > 0 }),
      },
      (read) => on.reading?.(read / promptTokens),
      signal,
    )
  } catch (error) {
    throw new EngineCrash(messageOf(error))
  }
  tell(stops.push(text.end()) + stops.end())
  send({ delta: {}, finish_reason: ended || stops.stopped ? 'stop' : 'length' })
  send({}, { choices: [], usage: { prompt_tokens: promptTokens, completion_tokens: tokens, total_tokens: promptTokens + tokens } })
}
