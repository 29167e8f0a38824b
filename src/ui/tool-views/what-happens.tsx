// Exactly what a call will do, before a person allows it: nothing that it was given is left out, and the long is shown when asked for.
import { kept } from '../components/kept.tsx'
import { CodeBlock } from '../markdown/code-block.tsx'
import { linesIn } from '../markdown/text-beginning.ts'
import type { PendingApproval } from '../state/agent-client.ts'
import { argumentsOf } from '../state/say-asked.ts'
import { saySize } from '../state/say-time.ts'

/** The argument that a person reads as a text of its own, and what it is called. */
const MAIN: Readonly<
  Record<string, { readonly field: string; readonly label: (args: Record<string, unknown>) => string; readonly said: readonly string[] }>
> = {
  bash: { field: 'command', label: () => 'Bash', said: [] },
  run_js: { field: 'code', label: () => 'JavaScript', said: ['file'] },
  write_file: { field: 'content', label: ({ path }) => String(path), said: ['path'] },
}

/** Kept: a reason that is being written beside it must not read a large call again with every key. */
export const WhatHappens = kept(({ asked }: { readonly asked: PendingApproval }) => {
  const { tool, summary, detail } = asked.action
  if (detail === undefined) return <CodeBlock text={summary} label="Call" />
  const args = argumentsOf(asked)
  const main = Object.hasOwn(MAIN, tool) ? MAIN[tool] : undefined
  const text = main === undefined ? undefined : args[main.field]
  if (main === undefined || typeof text !== 'string') return <CodeBlock text={JSON.stringify(detail, null, 2)} label="Arguments" />
  const rest = Object.entries(args).filter(([name]) => name !== main.field && !main.said.includes(name))
  const isShort = ([, value]: readonly [string, unknown]) => typeof value === 'number' || typeof value === 'boolean'
  const short = rest.filter(isShort).map(([name, value]) => `${name}: ${value}`)
  const long = rest.filter((each) => !isShort(each))
  return (
    <>
      <CodeBlock text={text} label={main.label(args)} />
      <p class="hint">{[sayLength(text), ...short].join(' · ')}</p>
      {long.length === 0 ? null : <CodeBlock text={JSON.stringify(Object.fromEntries(long), null, 2)} label="With" />}
    </>
  )
})

/** So that nobody overlooks what has to be scrolled to. */
const sayLength = (text: string): string => {
  const lines = linesIn(text)
  return `${lines === 1 ? '1 line' : `${lines.toLocaleString()} lines`}, ${saySize(new TextEncoder().encode(text).length)}`
}
