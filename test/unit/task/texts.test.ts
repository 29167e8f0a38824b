// The words that a run says to a model, pinned: they are product, and a change of them is a change of behaviour.
import { describe, expect, test } from 'vitest'
import { writeRefusal } from '../../../src/worker/hooks/write-limits.ts'
import { taskChildren } from '../../../src/worker/plugins/task/children.ts'
import * as texts from '../../../src/worker/plugins/task/texts.ts'
import { statusTool } from '../../../src/worker/tools/status.ts'
import { testRuntime } from '../../kit/test-runtime.ts'

const WORDS: readonly (readonly [string, string, string])[] = [
  [
    'T10 a nudge, with a shell',
    texts.nudge('shell'),
    `You wrote text without calling a tool, so nothing happens any more. If there is work left, do it now with a tool. If all is done, say so.
Report with the status command, in the bash tool: status --task "add a search box" --done "box added, tests pass" --complete
If something is left: status --task "…" --done "…" --remaining "…" --incomplete`,
  ],
  [
    'T10 how to report by a tool',
    texts.howToReport('tool'),
    `Report with the status command, which is the tool "status": {"task": "add a search box", "done": "box added, tests pass", "complete": true}
If something is left: {"task": "…", "done": "…", "remaining": "…", "complete": false}`,
  ],
  [
    'T15 how to report in text',
    texts.howToReport('text'),
    `Report with the status command, in a block of its own:
\`\`\`bash
status --task "add a search box" --done "box added, tests pass" --complete
\`\`\`
If something is left, end it with: --remaining "…" --incomplete`,
  ],
  [
    'T10 silence',
    texts.silent('tool').split('\n')[0]!,
    'Your answer was empty. If there is work left, do it now with a tool. If all is done, say so.',
  ],
  [
    'T10 an answer that was cut',
    texts.cutOff(),
    'Your answer reached the output limit and was cut off; nothing that you began in it was run. Go on from there in smaller pieces: one call at a time, long files in several parts.',
  ],
  [
    'T11 only reasoning',
    texts.onlyReasoning(),
    'Your answer held only reasoning: no text and no tool call reached anybody. Act on what you thought: call a tool now, or write the answer.',
  ],
  [
    'T12 a failed tool',
    texts.retryFailed(),
    'The last tool call failed, and then you said nothing. Read its result, correct what was wrong, and try that work again now, in another way if need be.',
  ],
  [
    'T13 a wrong name',
    texts.wrongTool('bahs', 'bash', ['bash', 'read_file']),
    'There is no tool "bahs"; your answer was stopped there and nothing was run. Use "bash". The tools are: bash, read_file. Call one of them by exactly this name.',
  ],
  [
    'T13 no name, and nothing near',
    texts.wrongTool('', undefined, []),
    'You made a tool call without a name; your answer was stopped there and nothing was run. There are no tools. Call one of them by exactly this name.',
  ],
  [
    'T14 a written call, with the rule',
    texts.writtenCall('a block "bash"', 'bash', true),
    `You wrote a tool call as text (a block "bash"), so it was not run.
Wrong: writing the call or its command into your answer.
Right: calling the tool "bash" through the tool interface, with its arguments as JSON.
Rule: text is never run. Only a real tool call is.
Make that call now.`,
  ],
  ['T5 what remains', texts.workRemains('the tests'), 'You reported that this remains: the tests\nGo on with it now.'],
  ['T5 nothing named', texts.workRemains(''), 'You reported that the work is not complete. Go on with what is left.'],
  ['T17 a model error', texts.modelError('busy'), 'The last model call failed: busy\nGo on from where you were.'],
  ['T4 the gate', texts.sentBack('Tests fail.'), 'Tests fail.'],
  [
    'T4 a gate without words',
    texts.sentBack(' '),
    'The work was checked and is not complete yet. Look again at what was asked, and finish it.',
  ],
  [
    'T20 a duplicate',
    texts.duplicate(3, 3),
    'this is the same call as the one just before, so it was not run again: its result is above (repeat 3 of 3, the run ends here). Use that result, or do something different.',
  ],
  [
    'T21 a warning',
    texts.cycleWarning(2),
    'Note: your last 4 calls went round the same 2 calls twice. If that makes no progress, stop and do something different; going round once more ends this run.',
  ],
  ['T21 the end', texts.cycleEnd(2), 'the same 2 calls went round again after the warning, so this one was not run and the run ends here.'],
  [
    'T23 a repeated result',
    texts.identical('bash'),
    '[This result is identical, character for character, to an earlier result of bash that you can see above. It is not repeated here.]',
  ],
  [
    'T33 a kind that only reads',
    texts.refusedWrite('explore'),
    'a run of the kind "explore" only reads, and this tool may write. Use tools that read, and put what should be changed into your answer.',
  ],
  [
    'T33 a single write in such a run',
    writeRefusal({ turnId: 1, kind: 'plan', readOnly: true }, '/a') ?? '',
    'a run of the kind "plan" only reads. Put what should be changed into your answer.',
  ],
  [
    'T33 outside of the folders',
    writeRefusal({ turnId: 1, kind: 'task', readOnly: false, writeScope: ['/b'] }, '/a') ?? '',
    'this run may write only in /b, and "/a" is outside.',
  ],
  [
    'T33 an unknown target',
    texts.unknownTarget(['/b']),
    'this run may write only in /b, and where this tool writes is not known. Use a tool whose target is a path.',
  ],
  [
    'T15 tools as text',
    texts.textTools([{ name: 'bash', line: 'Runs. Arguments: {}' }], true),
    `You have tools. You call them by writing the call into your answer, then you stop and wait: the result comes in the next message.

To run a shell command, write it in a block of its own:
\`\`\`bash
ls -la
\`\`\`

To call any tool, write its name and its arguments as JSON in a block of its own:
\`\`\`tool_code
NAME{"argument": "value"}
\`\`\`

Write such a block only to make a call, never as an example.

Tools:
- bash: Runs. Arguments: {}`,
  ],
]

describe('what a model reads', () => {
  test.each(WORDS)('%s', (_, said, expected) => {
    expect(said).toBe(expected)
  })

  test('T6 T34 the tools status and delegate', () => {
    const { runtime } = testRuntime([])
    runtime.tools.register(statusTool())
    runtime.use(taskChildren)
    expect(runtime.tools.schemas()).toEqual([
      {
        name: 'delegate',
        description:
          'Hand a piece of work to a helper with a fresh memory, and get its report. Several calls in one answer run at the same time; give each its own part.',
        parameters: {
          type: 'object',
          properties: {
            kind: {
              type: 'string',
              enum: ['explore', 'plan', 'task'],
              description: 'explore: look and report. plan: work out a plan. Both only read. task: do the work.',
            },
            prompt: { type: 'string', minLength: 1, description: 'All that it needs to know: it sees nothing of this conversation' },
          },
          required: ['kind', 'prompt'],
        },
      },
      {
        name: 'status',
        description:
          'Report how the task stands. Set "complete" to true when all of it is done and checked; to false when something is left.',
        parameters: {
          type: 'object',
          properties: {
            task: { type: 'string', description: 'What was asked, in a few words' },
            done: { type: 'string', description: 'What is done' },
            remaining: { type: 'string', description: 'What is left. Default: none' },
            complete: { type: 'boolean' },
          },
          required: ['task', 'done'],
        },
      },
    ])
  })
})
