// A command that the agent ran in the shell: all of it, what it printed, and how it ended.
import type { ToolCard } from '../../storage/log/projections/transcript-items.ts'
import { CodeBlock } from '../markdown/code-block.tsx'
import { Outcome } from './outcome.tsx'
import { stringField } from './partial-arguments.ts'

export const BashView = ({ card }: { readonly card: ToolCard }) => {
  const command = stringField(card.arguments, 'command')
  return (
    <>
      {command === undefined ? <CodeBlock text={card.arguments} label="Arguments" /> : <CodeBlock text={command} label="Bash" />}
      <Outcome card={card} label="Output" failed={sayEnd(card)} />
    </>
  )
}

/** Undefined for a call that did not come as far as an exit code. */
const sayEnd = ({ state }: ToolCard): string | undefined => {
  const meta = 'meta' in state ? state.meta : undefined
  if (typeof meta !== 'object' || meta === null || !('exitCode' in meta)) return undefined
  return 'timedOut' in meta ? 'Stopped: out of time' : `Exit code ${meta.exitCode}`
}
