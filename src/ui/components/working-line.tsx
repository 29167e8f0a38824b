// One quiet line at the end of the conversation while the agent works and nothing else on the screen shows it.
import { withoutHiddenMarks } from '../markdown/hidden-marks.ts'
import { sayActivity } from '../state/run-words.ts'
import { sayDuration } from '../state/say-time.ts'
import { useApp } from './app-context.tsx'
import { Dots } from './icons.tsx'

export const WorkingLine = () => {
  const { current, localModels } = useApp()
  const run = current.run.value
  if (current.phase.value !== 'running') return null
  if (run.kind !== 'running') return <Line words="Thinking" />
  const words = sayActivity(run.activity)
  return words === undefined ? null : <Line words={withoutHiddenMarks(localModels.work.value ?? words)} since={run.since} />
}

const Line = (props: { readonly words: string; readonly since?: number }) => (
  <p class="working">
    <Dots /> {props.words}
    {props.since === undefined ? null : <Elapsed since={props.since} />}
  </p>
)

/** Silent for the first seconds: a number that only flashes is noise. */
export const Elapsed = ({ since }: { readonly since: number }) => {
  const { clock } = useApp()
  const passed = clock.second.value - since
  return passed < 3000 ? null : <span class="elapsed">{sayDuration(Math.floor(passed / 1000) * 1000)}</span>
}
