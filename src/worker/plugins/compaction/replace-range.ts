// Puts a summary in the place of its range, if that makes the conversation shorter; says why if not. Synchronous.
import { messageOf } from '../../../storage/log/errors.ts'
import type { Session } from '../../hooks/agent.ts'
import type { CompactionEnd } from './bracket.ts'
import { contentTokens, type Prepared } from './prepare.ts'
import { summaryContent } from './summary-texts.ts'

/** Logs the summary when there is a good one. Gives the end to log; never throws. */
export const replaceRange = (session: Session, prepared: Prepared): CompactionEnd => {
  const cost = prepared.usage === undefined ? {} : { usage: prepared.usage }
  if (prepared.kind !== 'summary') return { outcome: prepared.kind, detail: prepared.detail, ...cost }
  const { nodes, text } = prepared
  if (text === '') return { outcome: 'unchanged', detail: 'The model gave an empty summary.', ...cost }
  const content = summaryContent(text)
  const before = nodes.reduce((sum, node) => sum + contentTokens(node.data.content), 0)
  const after = contentTokens(content)
  if (after >= before)
    return { outcome: 'unchanged', detail: `The summary is not shorter than what it stands for (${after} and ${before} tokens).`, ...cost }
  try {
    session.append(
      'context/message',
      { content, source: { kind: 'plugin', plugin: 'compaction' }, envelope: 'raw', meta: { hidden: nodes.length, before, after } },
      {
        surfaceOp: { op: 'replace', start: nodes[0]!.seq, end: nodes.at(-1)!.seq },
        sourceEventSeqs: nodes.map(({ seq }) => seq).toSorted((a, b) => a - b),
      },
    )
    return { outcome: 'done', detail: `${nodes.length} messages of about ${before} tokens became ${after}.`, ...cost }
  } catch (error) {
    return { outcome: 'failed', detail: `The conversation changed while it was summed up: ${messageOf(error)}`, ...cost }
  }
}
