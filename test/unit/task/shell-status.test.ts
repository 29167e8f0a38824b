// T6 and T3 with the real shell: `status` is a command like any other, and what it says counts only if the call succeeded.
// T15 and T20 with the same: calls in text, and the signature of a command.
import { describe, expect, test } from 'vitest'
import { problemsOf } from '../../kit/check-log.ts'
import { text, toolCall } from '../../kit/replies.ts'
import { COMPLETE, reminders, sh } from './kit.ts'
import { shellSetup } from './real-shell.ts'

const DONE = 'status --task "the work" --done "all of it"'

describe('T6 the status command in the shell', () => {
  test('T6 alone it answers in three short lines and ends the run', async () => {
    const { run, answers } = shellSetup([sh(COMPLETE)])
    expect(await run()).toMatchObject({ success: true, exitReason: 'status_complete_post_tool' })
    expect(answers()[0]?.text).toBe('Recorded: the work: all of it\nRemaining: none\nComplete: yes')
  })

  test('T6 quotes are optional', async () => {
    const { run, answers } = shellSetup([sh('status --task the work --done all of it --remaining the rest --incomplete'), sh(COMPLETE)])
    await run()
    expect(answers()[0]?.text).toBe('Recorded: the work: all of it\nRemaining: the rest\nComplete: no')
  })

  test.each([
    ['behind what succeeded', `mkdir build && echo ok > build/out && ${DONE} --complete`],
    ['behind what failed, when it is asked for anyway', `cat nowhere || ${DONE} --complete`],
    ['on a line of its own', `cat nowhere\n${DONE} --complete`],
    ['in a pipe', `${DONE} --complete | tee report`],
    ['in a subshell', `(cd / && ${DONE} --complete)`],
    ['in a substitution', `echo "$(${DONE} --complete)"`],
    ['in a function', `report() { ${DONE} --complete; }; report`],
    ['in another shell', `bash -c '${DONE} --complete'`],
    ['with words from variables', `t="the work"; status --task "$t" --done $t --complete`],
    ['the last of several', `${DONE} --remaining more --incomplete; ${DONE} --complete`],
  ])('T6 in a chain: %s', async (_where, command) => {
    const { run } = shellSetup([sh(command), text('I stopped there.')])
    expect(await run('do it', { maxNudges: 0 })).toMatchObject({ success: true, exitReason: 'status_complete_post_tool' })
  })

  test.each([
    ['that broke before it', `cat nowhere && ${DONE} --complete`],
    ['that did not come to it', `true || ${DONE} --complete`],
    ['whose end failed', `${DONE} --complete; false`],
    ['that turns it round', `! ${DONE} --complete`],
    ['that left before it', `exit 0; ${DONE} --complete`],
    ['that could not be read', `${DONE} --complete; echo "open`],
    ['that only prints it', `echo '${DONE} --complete'`],
    ['that only prints its answer', `printf 'Recorded: a: b\\nRemaining: none\\nComplete: yes\\n'`],
    ['that is a comment', `true # ${DONE} --complete`],
    ['that is a table', `cat <<'EOF'\n| Task | Status |\n|---|---|\n| all | complete |\nEOF`],
    ['that used it wrongly', 'status --complete'],
    ['that used it wrongly and went on', 'status --task a --complete; true'],
    ['that ran out of time', `${DONE} --complete; sleep 60`],
  ])('T6 T3 nothing is said by a chain %s', async (_what, command) => {
    const { run, answers } = shellSetup([toolCall('bash', { command, timeoutMs: 200 }), text('I stopped there.')])
    expect(await run('do it', { maxNudges: 0 })).toMatchObject({ success: false, exitReason: 'nudge_exhaustion' })
    expect(answers()[0]?.meta).not.toHaveProperty('signals')
  })

  test('T6 what is wrong with its words is told', async () => {
    const { run, answers } = shellSetup([sh('status --task a'), sh(COMPLETE)])
    await run()
    expect(answers()[0]).toMatchObject({ isError: true })
    expect(answers()[0]?.text).toContain('--done must be given\nUsage: status --task T --done D')
  })

  test('T6 T10 the nudge names the command where there is a shell', async () => {
    const { run, agent } = shellSetup([text('Done!'), sh(COMPLETE)])
    await run()
    expect(reminders(agent.session.events)[0]).toContain('Report with the status command, in the bash tool: status --task')
  })

  test('T6 T4 outside of a run it is a command that says what it recorded', async () => {
    const { agent, model, answers } = shellSetup([])
    model.add(sh(COMPLETE), text('ok'))
    agent.send('chat')
    await agent.whenIdle()
    expect(answers()[0]).toMatchObject({ isError: false, meta: { exitCode: 0, signals: { statusComplete: true } } })
  })
})

describe('T15 a model without native tools', () => {
  test('T15 its blocks run in the real shell, also several lines and a report at their end', async () => {
    const { run, agent, model, answers, snapshot } = shellSetup(
      [
        text('First I look.\n```bash\nmkdir notes\ncat > notes/a.md <<EOF\n# Notes\n  indented\nEOF\nwc -l < notes/a.md\n```'),
        text(`Done.\n\`\`\`sh\n$ ${COMPLETE}\n\`\`\``),
      ],
      { info: { tools: false } },
    )
    expect(await run()).toMatchObject({ success: true, exitReason: 'status_complete_post_tool', toolCount: 2 })
    expect(answers().map((answer) => answer.text)).toEqual(['2', 'Recorded: the work: all of it\nRemaining: none\nComplete: yes'])
    expect(await snapshot()).toMatchObject({ '/notes/a.md': '2 # Notes\n  indented\n' })
    expect(model.requests[0]?.tools ?? []).toEqual([])
    expect(problemsOf(agent.session.events)).toEqual([])
  })
})

describe('T20 the signature of a shell is its command', () => {
  test('T20 the fourth time the same command ends the run, and it ran once', async () => {
    const { run, snapshot } = shellSetup(
      [1_000, 2_000, 3_000, 4_000].map((timeoutMs) => toolCall('bash', { command: 'echo x >> log', timeoutMs })),
    )
    expect(await run()).toMatchObject({ success: false, exitReason: 'loop_detected', toolCount: 4 })
    expect(await snapshot()).toEqual({ '/log': '2 x\n' })
  })

  test('T20 another command in between is no loop', async () => {
    const { run, snapshot } = shellSetup([sh('echo x >> log'), sh('cat log'), sh('echo x >> log'), sh(COMPLETE)])
    expect(await run()).toMatchObject({ success: true })
    expect((await snapshot())['/log']).toContain('x\nx\n')
  })
})
