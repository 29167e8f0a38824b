// What a task run says to the model, word for word. Read by models: short, concrete, with an example. Pinned by a test.

export const OPENING = '<automated_reminder>'
export const CLOSING = '</automated_reminder>'

/** What is quoted inside, as an error of a server, must not end the reminder early. */
export const wrapped = (text: string): string => `${OPENING}\n${text.replaceAll(OPENING, '').replaceAll(CLOSING, '')}\n${CLOSING}`

/** How this model reports: `tool` where there is a tool for it, `text` where it writes its calls itself, `shell` else. */
export type Reporting = 'shell' | 'text' | 'tool'

const EXAMPLE_COMMAND = 'status --task "add a search box" --done "box added, tests pass" --complete'

const REPORT: { readonly [R in Reporting]: string } = {
  shell: `Report with the status command, in the bash tool: ${EXAMPLE_COMMAND}\nIf something is left: status --task "…" --done "…" --remaining "…" --incomplete`,
  text: `Report with the status command, in a block of its own:\n\`\`\`bash\n${EXAMPLE_COMMAND}\n\`\`\`\nIf something is left, end it with: --remaining "…" --incomplete`,
  tool: `Report with the status command, which is the tool "status": {"task": "add a search box", "done": "box added, tests pass", "complete": true}\nIf something is left: {"task": "…", "done": "…", "remaining": "…", "complete": false}`,
}

export const howToReport = (reporting: Reporting): string => REPORT[reporting]

export const nudge = (reporting: Reporting): string =>
  `You wrote text without calling a tool, so nothing happens any more. If there is work left, do it now with a tool. If all is done, say so.\n${REPORT[reporting]}`

export const silent = (reporting: Reporting): string =>
  `Your answer was empty. If there is work left, do it now with a tool. If all is done, say so.\n${REPORT[reporting]}`

export const cutOff = (): string =>
  'Your answer reached the output limit and was cut off; nothing that you began in it was run. Go on from there in smaller pieces: one call at a time, long files in several parts.'

export const onlyReasoning = (): string =>
  'Your answer held only reasoning: no text and no tool call reached anybody. Act on what you thought: call a tool now, or write the answer.'

export const retryFailed = (): string =>
  'The last tool call failed, and then you said nothing. Read its result, correct what was wrong, and try that work again now, in another way if need be.'

export const wrongTool = (wrong: string, right: string | undefined, names: readonly string[]): string => {
  const called = wrong === '' ? 'You made a tool call without a name' : `There is no tool "${wrong}"`
  const meant = right === undefined ? '' : ` Use "${right}".`
  const real = names.length === 0 ? 'There are no tools.' : `The tools are: ${names.join(', ')}.`
  return `${called}; your answer was stopped there and nothing was run.${meant} ${real} Call one of them by exactly this name.`
}

const WRITTEN_RULE = 'Rule: text is never run. Only a real tool call is.'

export const writtenCall = (form: string, tool: string, again: boolean): string =>
  [
    `You wrote a tool call as text (${form}), so it was not run.`,
    `Wrong: writing the call or its command into your answer.`,
    `Right: calling the tool "${tool}" through the tool interface, with its arguments as JSON.`,
    ...(again ? [WRITTEN_RULE] : []),
    'Make that call now.',
  ].join('\n')

export const workRemains = (remaining: string): string =>
  remaining === ''
    ? 'You reported that the work is not complete. Go on with what is left.'
    : `You reported that this remains: ${remaining}\nGo on with it now.`

export const modelError = (message: string): string => `The last model call failed: ${message}\nGo on from where you were.`

export const sentBack = (text: string): string =>
  text.trim() === '' ? 'The work was checked and is not complete yet. Look again at what was asked, and finish it.' : text

export const duplicate = (count: number, max: number): string =>
  `this is the same call as the one just before, so it was not run again: its result is above (repeat ${count} of ${max}${count >= max ? ', the run ends here' : ''}). Use that result, or do something different.`

export const cycleWarning = (length: number): string =>
  `Note: your last ${2 * length} calls went round the same ${length} calls twice. If that makes no progress, stop and do something different; going round once more ends this run.`

export const cycleEnd = (length: number): string =>
  `the same ${length} calls went round again after the warning, so this one was not run and the run ends here.`

export const identical = (name: string): string =>
  `[This result is identical, character for character, to an earlier result of ${name} that you can see above. It is not repeated here.]`

export const refusedWrite = (kind: string): string =>
  `a run of the kind "${kind}" only reads, and this tool may write. Use tools that read, and put what should be changed into your answer.`

export const unknownTarget = (folders: readonly string[]): string =>
  `this run may write only in ${folders.join(', ')}, and where this tool writes is not known. Use a tool whose target is a path.`

/** For models without native tools (T15). `tools`: one line of JSON Schema each. */
export const textTools = (tools: readonly { readonly name: string; readonly line: string }[], hasShell: boolean): string =>
  [
    'You have tools. You call them by writing the call into your answer, then you stop and wait: the result comes in the next message.',
    ...(hasShell ? ['To run a shell command, write it in a block of its own:\n```bash\nls -la\n```'] : []),
    'To call any tool, write its name and its arguments as JSON in a block of its own:\n```tool_code\nNAME{"argument": "value"}\n```',
    'Write such a block only to make a call, never as an example.',
    `Tools:\n${tools.map(({ name, line }) => `- ${name}: ${line}`).join('\n')}`,
  ].join('\n\n')
