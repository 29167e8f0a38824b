// The four suggested tasks (A1), each done through the real loop with real tools.
import { expect, test } from 'vitest'
import { DEMO_TASKS } from '../../../src/worker/llm/adapters/demo-tasks.ts'
import { startDemoAgent } from './demo-agent.ts'

const prompt = (icon: string): string => DEMO_TASKS.find((task) => task.icon === icon)?.prompt ?? ''

test('A1 there are four tasks, each with a title and a prompt of its own', () => {
  expect(DEMO_TASKS).toHaveLength(4)
  expect(new Set(DEMO_TASKS.map(({ title }) => title)).size).toBe(4)
})

test('A1 computing: the answer holds what the sandbox worked out', async () => {
  const { ask, steps } = startDemoAgent()
  const answer = await ask(prompt('calculator'))
  expect(steps()).toEqual([['run_js']])
  expect(answer).toContain('2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71')
  expect(answer).toContain('**639**')
})

test('A1 writing and changing: the file is written, read and changed', async () => {
  const { ask, steps, fileText, files, agent } = startDemoAgent()
  const answer = await ask(prompt('pencil'))
  expect(steps()).toEqual([['write_file'], ['read_file'], ['write_file'], ['read_file']])
  expect(await fileText('/hike.md')).toMatch(/^# Weekend hike\n[\s\S]*\n- \[ \] Rain jacket\n$/)
  expect((await files.read(agent.session.id, '/hike.md'))?.entry.version).toBe(2)
  expect(answer).toContain('- [ ] Rain jacket')
})

test('A1 fixing: the first run really fails, and the fix comes from the real error', async () => {
  const { ask, steps, fileText } = startDemoAgent()
  const answer = await ask(prompt('bug'))
  expect(steps()).toEqual([['write_file'], ['run_js!'], ['write_file'], ['run_js']])
  expect(await fileText('/average.js')).toContain('const average = total / temperatures.length')
  expect(answer).toContain("ReferenceError: 'totl' is not defined")
  expect(answer).toContain('- const average = totl / temperatures.length\n+ const average = total / temperatures.length')
  expect(answer).toContain('Average: 20.52')
})

test('A1 counting: three files in one step, read in parallel, counted by code', async () => {
  const { ask, steps } = startDemoAgent()
  const answer = await ask(prompt('files'))
  expect(steps()).toEqual([['write_file', 'write_file', 'write_file'], ['list_files'], ['read_file', 'read_file', 'read_file'], ['run_js']])
  expect(answer).toBe(
    '| File | Words |\n|---|---:|\n| /texts/sea.txt | 16 |\n| /texts/tea.txt | 17 |\n| /texts/train.txt | 14 |\n| **Total** | **47** |',
  )
})

test('A1 every task can be done twice in one session', async () => {
  for (const task of DEMO_TASKS) {
    const { ask } = startDemoAgent()
    const first = await ask(task.prompt)
    expect(await ask(task.prompt)).toBe(first)
  }
})

test('A1 after a reload, when the agent has seen no file, it reads before it overwrites', async () => {
  for (const task of DEMO_TASKS) {
    const { files, ask } = startDemoAgent()
    const first = await ask(task.prompt)
    // A new runtime over the same files: the session id is the same, what was seen is forgotten.
    const again = startDemoAgent({ files })
    expect(await again.ask(task.prompt)).toBe(first)
    if (task.icon === 'pencil') expect(again.steps().slice(0, 3)).toEqual([['write_file!'], ['read_file'], ['write_file']])
  }
})

test('A1 what it says is the same every time', async () => {
  const one = startDemoAgent()
  const two = startDemoAgent()
  await one.ask(prompt('bug'))
  await two.ask(prompt('bug'))
  expect(two.agent.session.deriveMessages()).toEqual(one.agent.session.deriveMessages())
})
