// The tasks that the first screen suggests are those that the demo model does.
import { expect, test } from 'vitest'
import { suggestedTasks } from '../../../src/ui/state/suggested-tasks.ts'
import { DEMO_TASKS } from '../../../src/worker/llm/adapters/demo-tasks.ts'

test('A1 every suggested task is one that the demo model understands', () => {
  expect(suggestedTasks.map(({ title, prompt }) => ({ title, prompt }))).toEqual(DEMO_TASKS.map(({ title, prompt }) => ({ title, prompt })))
})
