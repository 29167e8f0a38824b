// The writer of Gemini requests: a request of the loop → the JSON body. Pure: pictures come in as ready URLs.
import type { JsonObject, ReasoningBlock } from '../../../../storage/log/content.ts'
import type { LlmRequest, ModelInfo } from '../../../hooks/llm.ts'
import { isSameFamily } from '../../model-family.ts'
import { type HistoryResult, type HistoryTurn, type UserPart, validHistory } from '../history.ts'
import { argumentsObject } from '../history-arguments.ts'
import { type FindPicture, inlineData, type Pictures, picturesFor } from '../pictures.ts'
import { wellFormed } from '../well-formed.ts'
import type { IdAlphabet } from '../wire-ids.ts'
import { withoutTools } from '../without-tools.ts'
import { generationOf, thinkingConfig } from './effort.ts'
import { signatureOf } from './signatures.ts'
import { writeParameters } from './write-schema.ts'

export type GeminiWriteOptions = {
  readonly info?: ModelInfo
  readonly picture?: FindPicture
  /** Calls and results carry ids. Default true; Vertex AI refuses the field. */
  readonly callIds?: boolean
}

type Part = JsonObject
type Content = { readonly role: 'user' | 'model'; readonly parts: readonly Part[] }

const IDS: IdAlphabet = { pattern: /^[\w.:-]{1,128}$/, length: 24 }
/** Google's own word for a call that another model made: Gemini 3 refuses one without a signature. */
const NO_SIGNATURE = 'skip_thought_signature_validator'
/** "stopSequences: up to 5". */
const MOST_STOPS = 5

export const writeGeminiRequest = (request: LlmRequest, { info = {}, picture, callIds = true }: GeminiWriteOptions = {}): JsonObject => {
  const valid = validHistory(request.messages, IDS)
  const turns = info.tools === false ? withoutTools(valid) : valid
  const contents = alternating(turns.map((turn) => writeTurn(turn, request, picturesFor(info, picture), callIds)))
  const tools = info.tools === false ? [] : (request.tools ?? [])
  const thinking = thinkingConfig(request.model, request.effort)
  const generationConfig = {
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(request.maxTokens === undefined ? {} : { maxOutputTokens: request.maxTokens }),
    ...(request.stop === undefined || request.stop.length === 0 ? {} : { stopSequences: request.stop.slice(0, MOST_STOPS) }),
    ...(thinking === undefined ? {} : { thinkingConfig: thinking }),
  }
  return {
    ...(request.system === undefined || request.system.trim() === ''
      ? {}
      : { systemInstruction: { parts: [{ text: wellFormed(request.system) }] } }),
    contents,
    ...(tools.length === 0 ? {} : { tools: [{ functionDeclarations: tools.map(writeTool) }] }),
    ...(Object.keys(generationConfig).length === 0 ? {} : { generationConfig }),
  }
}

const writeTool = ({ name, description, parameters }: NonNullable<LlmRequest['tools']>[number]): JsonObject => {
  const written = writeParameters(parameters)
  return { name, description: wellFormed(description), ...(written === undefined ? {} : { parameters: written }) }
}

const writeTurn = (turn: HistoryTurn, request: LlmRequest, pictures: Pictures, callIds: boolean): Content => {
  if (turn.kind === 'user') return { role: 'user', parts: turn.parts.map((part) => writePart(part, pictures)) }
  if (turn.kind === 'results') return { role: 'user', parts: writeResults(turn.results, pictures, callIds) }
  const own = isSameFamily(turn.provenance, request)
  const parts: Part[] = []
  /** What the next block is signed with. */
  let waiting: ReturnType<typeof signatureOf>
  const signedAs = (part: 'call' | 'text'): JsonObject => {
    const signature = waiting?.part === part ? { thoughtSignature: waiting.thoughtSignature } : {}
    waiting = undefined
    return signature
  }
  for (const block of turn.blocks) {
    if (block.type === 'reasoning') {
      waiting = undefined
      const signature = own ? signatureOf(block.replay) : undefined
      if (signature?.part === 'call' || signature?.part === 'text') waiting = signature
      else if (signature !== undefined) parts.push(writeSigned(block, signature))
    } else if (block.type === 'text') parts.push({ text: block.text, ...signedAs('text') })
    else {
      const call = { ...(callIds ? { id: block.id } : {}), name: functionName(block.name), args: argumentsObject(block.arguments) }
      parts.push({ functionCall: call, ...signedAs('call') })
    }
  }
  return { role: 'model', parts: generationOf(request.model) >= 3 ? signedCalls(parts) : parts }
}

const writeSigned = ({ text }: ReasoningBlock, { part, thoughtSignature }: NonNullable<ReturnType<typeof signatureOf>>): Part =>
  part === 'thought' ? { text: wellFormed(text), thought: true, thoughtSignature } : { text: '', thoughtSignature }

/** The first call of a turn is the one that must be signed. */
const signedCalls = (parts: readonly Part[]): readonly Part[] => {
  const first = parts.findIndex((part) => part.functionCall !== undefined)
  return parts.map((part, index) =>
    index === first && part.thoughtSignature === undefined ? { ...part, thoughtSignature: NO_SIGNATURE } : part,
  )
}

/** All results first, as many as calls and in their order; then the pictures in them, each with the call that it came from. */
const writeResults = (results: readonly HistoryResult[], pictures: Pictures, callIds: boolean): readonly Part[] => {
  const shown: Part[] = []
  const responses = results.map(({ id, name, parts, isError }): Part => {
    const words = parts.map((part) => {
      if (part.type === 'text') return part.text
      const written = writePart(part, pictures)
      if (written.text !== undefined) return String(written.text)
      shown.push({ text: `Picture from the result of call ${id} (${name}):` }, written)
      return '(A picture of this result follows after the results.)'
    })
    const said = words.join('\n')
    return {
      functionResponse: { ...(callIds ? { id } : {}), name: functionName(name), response: isError ? { error: said } : { output: said } },
    }
  })
  return [...responses, ...shown]
}

const writePart = (part: UserPart, pictures: Pictures): Part => {
  if (part.type === 'text') return { text: part.text }
  const picture = pictures(part)
  if (!('url' in picture)) return { text: picture.note }
  const data = inlineData(picture.url)
  if (data === undefined) return { fileData: { fileUri: picture.url, mimeType: part.mediaType } }
  return { inlineData: { mimeType: data.mediaType, data: data.base64 } }
}

/** "must start with a letter or an underscore". */
const functionName = (name: string): string => (/^[a-zA-Z_]/.test(name) ? name : `_${name}`.slice(0, 64))

/** Roles take turns, the first and the last are the person's: older models refuse anything else. */
const alternating = (contents: readonly Content[]): readonly Content[] => {
  const merged: Content[] = []
  for (const content of contents) {
    const last = merged.at(-1)
    if (last?.role === content.role) merged[merged.length - 1] = { role: last.role, parts: [...last.parts, ...content.parts] }
    else merged.push(content)
  }
  return [
    ...(merged[0]?.role === 'user'
      ? []
      : [{ role: 'user', parts: [{ text: merged.length === 0 ? '(empty message)' : '(The conversation begins here.)' }] } as const]),
    ...merged,
    ...(merged.at(-1)?.role === 'model' ? [{ role: 'user', parts: [{ text: 'Go on.' }] } as const] : []),
  ]
}
