// How the demo's rules are written: as scripts that say something, call tools, and go on with the real results.
import type { JsonObject } from '../../../../storage/log/content.ts'

export type DemoCall = { readonly name: string; readonly args: JsonObject }
/** What the model says in one step; without calls it is the answer. */
export type DemoReply = { readonly text: string; readonly calls: readonly DemoCall[] }
export type DemoResult = { readonly text: string; readonly isError: boolean }

/** Yields a reply with calls, is given their results in order, returns the answer. */
export type DemoScript = Generator<DemoReply, string, readonly DemoResult[]>
/** Undefined when the rule does not know what to do with the goal. */
export type DemoRule = (goal: string) => DemoScript | undefined

/** Something went another way than planned: the script ends, and this is the answer. */
export class GaveUp extends Error {
  override readonly name = 'GaveUp'
}

export const call = (name: string, args: JsonObject): DemoCall => ({ name, args })

/** Says `text`, makes the calls, gives their results whatever they are. */
export function* attempt(text: string, ...calls: readonly DemoCall[]): Generator<DemoReply, readonly DemoResult[], readonly DemoResult[]> {
  return yield { text, calls }
}

/** The same, but a failed call ends the script with an honest answer. */
export function* use(text: string, ...calls: readonly DemoCall[]): Generator<DemoReply, readonly DemoResult[], readonly DemoResult[]> {
  const results = yield { text, calls }
  for (const [index, { name }] of calls.entries()) {
    const result = results[index]
    if (result === undefined || result.isError) throw new GaveUp(failure(name, result))
  }
  return results
}

export const failure = (name: string, result: DemoResult | undefined): string => {
  const why = result === undefined ? 'No result came back.' : result.text.replace(/^Error: /, '')
  return `\`${name}\` did not work:\n\n${fenced(why)}\n\nI stop here. I follow rules, so I cannot find a way around that.`
}

/** A code block that its own content cannot end. */
export const fenced = (text: string, language = ''): string => {
  const cut = text.length > 6_000 ? `${text.slice(0, 6_000)}\n…` : text
  const fence = '`'.repeat(Math.max(3, ...[...cut.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)))
  return `${fence}${language}\n${cut}\n${fence}`
}

/** `done`: what was asked was done, and the answer is not that it could not be. */
export type Step = { readonly reply: DemoReply } | { readonly answer: string; readonly done: boolean }

/**
 * Where the script stands after these rounds of results: a script is deterministic, so it is played again from the start each time,
 * and the model needs no memory besides the conversation.
 */
export const replay = (script: DemoScript, rounds: readonly (readonly DemoResult[])[]): Step => {
  try {
    let at = script.next()
    for (const results of rounds) {
      if (at.done) return { answer: at.value, done: true }
      at = script.next(results)
    }
    return at.done ? { answer: at.value, done: true } : { reply: at.value }
  } catch (error) {
    if (error instanceof GaveUp) return { answer: error.message, done: false }
    throw error
  }
}
