// Judges `history` cases as far as they are data: the request passes the vendor's checker, results are in order and in pairs.
import type { ContentBlock, Message } from '../../src/storage/log/content.ts'
import { type Fields, fieldsOf, isFields, listOf, mismatch, same, unknownKeys } from './expectations.ts'
import type { Vendor } from './vendors/vendor.ts'

export type HistoryInput = {
  readonly messages: readonly Message[]
  readonly pictures: ReadonlyMap<string, string>
  readonly problems: readonly string[]
}

/** The events of a case as derived messages. */
export const historyOf = (raw: unknown): HistoryInput => {
  const pictures = new Map<string, string>()
  const problems: string[] = []
  const picture = (image: Fields): ContentBlock => {
    const blob = `picture-${pictures.size + 1}`
    const mediaType = String(image.mime ?? image.mediaType ?? 'image/png')
    pictures.set(blob, `data:${mediaType};base64,${String(image.base64 ?? image.data ?? '')}`)
    return { type: 'image', blob, mediaType }
  }
  const parts = (event: Fields): readonly ContentBlock[] => [
    ...(typeof event.text === 'string' ? [{ type: 'text' as const, text: event.text }] : []),
    ...(isFields(event.image) ? [picture(event.image)] : []),
    ...listOf(event.content).map((part): ContentBlock => {
      const fields = fieldsOf(part)
      return fields.type === 'image' ? picture(fields) : { type: 'text', text: String(fields.text ?? '') }
    }),
  ]
  const messages = listOf(fieldsOf(raw).events).flatMap((entry): readonly Message[] => {
    const event = fieldsOf(entry)
    switch (event.t) {
      case 'user':
      case 'steer':
        return [{ role: 'user', content: parts(event) }]
      case 'assistant': {
        const content = listOf(event.blocks).map((block) => assistantBlock(fieldsOf(block), problems))
        return [{ role: 'assistant', content, provenance: { provider: String(event.provider ?? 'vendor'), model: 'm' } }]
      }
      case 'toolResult':
        return [
          {
            role: 'user',
            content: [{ type: 'tool-result', toolCallId: String(event.id), content: parts(event), isError: event.isError === true }],
          },
        ]
      case 'aborted':
        return []
      default:
        problems.push(`unknown event ${String(event.t)}`)
        return []
    }
  })
  return { messages, pictures, problems }
}

const assistantBlock = (block: Fields, problems: string[]): ContentBlock => {
  if (block.type === 'text') return { type: 'text', text: String(block.text) }
  if (block.type === 'reasoning') return { type: 'reasoning', text: String(block.text ?? '') }
  if (block.type !== 'toolCall') problems.push(`unknown block ${String(block.type)}`)
  const { args = block.arguments } = block
  return {
    type: 'tool-call',
    id: String(block.id),
    name: String(block.name),
    arguments: typeof args === 'string' ? args : JSON.stringify(args ?? {}),
  }
}

export const judgeHistory = (raw: unknown, expectation: unknown, vendor: Vendor): readonly string[] => {
  const { messages, pictures, problems } = historyOf(raw)
  const vision = fieldsOf(raw).vision
  const expected = fieldsOf(expectation)
  const body = vendor.write({ provider: 'vendor', model: 'm', messages }, vision === false ? { images: false } : {}, ({ blob }) =>
    pictures.get(blob),
  )
  const pattern = typeof expected.idPattern === 'string' ? new RegExp(expected.idPattern) : undefined
  const found = [
    ...problems,
    ...unknownKeys(expected, ['invariants', 'resultOrder', 'pairs', 'idPattern'], 'expect.'),
    ...vendor.historyProblems(body, pattern),
  ]
  const { calls, results, pictures: shown } = vendor.contents(body)
  const ids = messages.flatMap(({ content }) => content.flatMap((block) => (block.type === 'tool-call' ? [block.id] : [])))
  const original = (wireId: string) => ids[calls.findIndex((call) => call.id === wireId)]
  if (Array.isArray(expected.resultOrder)) {
    const order = results.map(({ id }) => original(id))
    if (!same(expected.resultOrder, order)) found.push(mismatch('expect.resultOrder', expected.resultOrder, order))
  }
  listOf(expected.pairs).forEach((pair, index) => {
    const [wantedArguments, wantedResult] = Array.isArray(pair)
      ? pair
      : [fieldsOf(pair).arguments ?? fieldsOf(pair).args, fieldsOf(pair).result ?? fieldsOf(pair).text]
    const call = calls[index]
    const result = results.find(({ id }) => id === call?.id)?.text
    const wanted = typeof wantedArguments === 'string' ? JSON.parse(wantedArguments) : wantedArguments
    if (wantedArguments !== undefined && !same(wanted, call?.args))
      found.push(mismatch(`expect.pairs[${index}] arguments`, wantedArguments, call?.args))
    if (wantedResult !== undefined && wantedResult !== result) found.push(mismatch(`expect.pairs[${index}] result`, wantedResult, result))
  })
  const wantedPictures = vision === false ? 0 : picturesToShow(messages)
  if (shown !== wantedPictures) found.push(mismatch('pictures in the request', wantedPictures, shown))
  return found
}

/** A result counts for a call before it that waits for one; an orphan or a second result is left out, with its pictures (W7). */
const picturesToShow = (messages: readonly Message[]): number => {
  const waiting: string[] = []
  const images = (blocks: readonly ContentBlock[]) => blocks.filter(({ type }) => type === 'image').length
  return messages
    .flatMap(({ content }) => content)
    .reduce((count, block) => {
      if (block.type === 'image') return count + 1
      if (block.type === 'tool-call') waiting.push(block.id)
      if (block.type !== 'tool-result' || !waiting.includes(block.toolCallId)) return count
      waiting.splice(waiting.indexOf(block.toolCallId), 1)
      return count + images(block.content)
    }, 0)
}
