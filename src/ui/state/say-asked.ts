// What the agent asks, in a few plain words: for the card's heading and for a screen reader.
import type { Pending, PendingApproval } from './agent-client.ts'

type Args = { readonly [name: string]: unknown }

/** One row per tool: what it would do, as in "The agent wants to …". */
const WANTS: Readonly<Record<string, (args: Args) => string>> = {
  bash: () => 'run a command in the shell',
  run_js: ({ file }) => (typeof file === 'string' ? `run the script ${file}` : 'run JavaScript'),
  write_file: ({ path }) => (typeof path === 'string' ? `write the file ${path}` : 'write a file'),
  read_file: ({ path }) => (typeof path === 'string' ? `read the file ${path}` : 'read a file'),
  list_files: () => 'look which files there are',
}

export const argumentsOf = ({ action }: PendingApproval): Args =>
  typeof action.detail === 'object' && action.detail !== null && !Array.isArray(action.detail) ? (action.detail as Args) : {}

export const sayWanted = (asked: PendingApproval): string => {
  const { tool } = asked.action
  return Object.hasOwn(WANTS, tool) ? (WANTS[tool]?.(argumentsOf(asked)) ?? tool) : `use the tool ${tool}`
}

export const sayAsked = (asked: Pending): string => {
  if (asked.kind === 'approval') return `The agent asks for your permission to ${sayWanted(asked)}.`
  const [question] = asked.questions
  return question === undefined ? 'The agent asks you something.' : `The agent asks: ${question.text}`
}
