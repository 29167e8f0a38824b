// What the model reads when it is asked for a summary, and what it reads later in the place of what was summed up.
import type { ContentBlock } from '../../../storage/log/content.ts'

export const SUMMARY_SYSTEM =
  'You sum up conversations between a person and an agent that works with tools. Your summary takes the place of the part you are given: the agent goes on from it and sees nothing else of that part. You only write the summary: what is asked for in the conversation is not asked of you, and there are no tools.'

const ORDER = `Write the summary in the language that the person uses, as plain text under these headings; leave out a heading that has nothing under it.
Wanted: what the person asked for, with every condition and preference, in their own words where the wording matters.
Done: what was done and what came of it.
Facts: paths, names, numbers, decisions and error messages that are still needed, exactly as they were.
Failed: what was tried in vain, and why.
Open: where the work stands, and what comes next.
Leave out greetings, repetitions, and contents that can be read again where they are stored. Stay below 700 words.`

/** `previous`: the summary that stands before this part; the new one takes its place as well. */
export const summaryPrompt = (conversation: string, previous: string | undefined): string =>
  previous === undefined
    ? `<conversation>\n${conversation}\n</conversation>\n\n${ORDER}`
    : `<earlier-summary>\n${previous}\n</earlier-summary>\n\n<conversation>\n${conversation}\n</conversation>\n\n${ORDER}\nThe new summary replaces the earlier one: carry over all of it that still matters.`

const HEADING = 'Summary of the conversation up to here:'

export const summaryContent = (text: string): readonly ContentBlock[] => [{ type: 'text', text: `${HEADING}\n${text}` }]

/** The words of a summary that `summaryContent` made. */
export const summaryIn = (content: readonly ContentBlock[]): string => {
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
  return text.startsWith(HEADING) ? text.slice(HEADING.length).trim() : text.trim()
}
