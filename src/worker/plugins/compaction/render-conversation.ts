// A part of the conversation as plain text: a model that is shown the roles and calls of tools begins to make calls of its own.
import type { ContentBlock } from '../../../storage/log/content.ts'
import type { SurfaceEvent } from '../../../storage/log/events.ts'
import { headAndTail } from './head-and-tail.ts'

/** Of one text, in characters: the most that is shown. Tried from the left until the whole is short enough. */
const CAPS: readonly number[] = [12_000, 6_000, 3_000, 1_500, 700, 300, 120]

/** At most about `limit` characters. Reasoning is left out: what came of it is in the texts and calls. */
export const renderConversation = (nodes: readonly SurfaceEvent[], limit: number): string => {
  const names = toolNames(nodes)
  let text = ''
  for (const cap of CAPS) {
    text = nodes.flatMap((node) => paragraphs(node, names, cap)).join('\n\n')
    if (text.length <= limit) return text
  }
  return headAndTail(text, limit)
}

const toolNames = (nodes: readonly SurfaceEvent[]): ReadonlyMap<string, string> => {
  const names = new Map<string, string>()
  for (const node of nodes) {
    if (node.type !== 'assistant/message') continue
    for (const block of node.data.content) if (block.type === 'tool-call') names.set(block.id, block.name)
  }
  return names
}

const paragraphs = (node: SurfaceEvent, names: ReadonlyMap<string, string>, cap: number): readonly string[] => {
  switch (node.type) {
    case 'user/message':
      return said('The person', textOf(node.data.content, cap))
    case 'steering/message':
      return said('The person, while the agent worked', textOf(node.data.content, cap))
    case 'context/message':
      return said(node.data.source.kind === 'user' ? 'The person, as context' : 'A note', textOf(node.data.content, cap))
    case 'assistant/message':
      return [...said('The agent', textOf(node.data.content, cap)), ...node.data.content.flatMap((block) => called(block, cap))]
    case 'tool/result': {
      const name = names.get(node.data.callId) ?? 'a tool'
      return said(node.data.isError ? `What ${name} failed with` : `What ${name} gave`, textOf(node.data.content, cap) || '(nothing)')
    }
  }
}

const said = (who: string, text: string): readonly string[] => (text === '' ? [] : [`${who}: ${text}`])

const called = (block: ContentBlock, cap: number): readonly string[] =>
  block.type === 'tool-call' ? [`The agent used ${block.name}: ${headAndTail(block.arguments.trim() || '(no arguments)', cap)}`] : []

const textOf = (content: readonly ContentBlock[], cap: number): string =>
  content
    .flatMap((block) => (block.type === 'text' ? [block.text] : block.type === 'image' ? [`[picture ${block.name ?? ''}]`] : []))
    .map((text) => headAndTail(text.trim(), cap))
    .filter((text) => text !== '')
    .join('\n')
