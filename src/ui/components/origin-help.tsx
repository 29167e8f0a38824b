// A local server does not let this page in: the setting that it needs, ready to be copied.
import { CodeBlock } from '../markdown/code-block.tsx'
import type { LocalServer } from '../state/agent-client.ts'
import type { OriginStep } from '../state/origin-settings.ts'
import { originSetting } from '../state/origin-settings.ts'

export const OriginHelp = ({ kind }: { readonly kind: LocalServer['kind'] }) => {
  const { name, steps } = originSetting(kind, location.origin)
  const hasPlaces = steps.some(({ where }) => where !== undefined)
  const [here, ...others] = hasPlaces ? thisSystemFirst(steps) : steps
  if (here === undefined) return null
  return (
    <div class="origin-help" data-origin-help={kind}>
      <p class="origin-help__title">How {name} lets this page in</p>
      <Step step={here} />
      {hasPlaces && others.length > 0 ? (
        <details class="origin-help__more">
          <summary>On another system, or started by hand</summary>
          {others.map((step) => (
            <Step key={step.where} step={step} />
          ))}
        </details>
      ) : (
        others.map((step) => <Step key={step.lines ?? step.words} step={step} />)
      )}
    </div>
  )
}

const Step = ({ step }: { readonly step: OriginStep }) => {
  const words = step.words === undefined ? null : <p class="hint">{step.words}</p>
  // Words that lead up to the lines end in a colon.
  const isBefore = step.words?.endsWith(':') === true
  return (
    <div class="origin-help__step">
      {isBefore ? words : null}
      {step.lines === undefined ? null : <CodeBlock text={step.lines} label={step.where ?? 'Terminal'} />}
      {isBefore ? null : words}
    </div>
  )
}

const SYSTEMS: readonly { readonly where: string; readonly platform: RegExp }[] = [
  { where: 'macOS', platform: /Mac/ },
  { where: 'Windows', platform: /Win/ },
  { where: 'Linux', platform: /Linux/ },
]

/** The server is on this computer, so its system is the page's. */
const thisSystemFirst = (steps: readonly OriginStep[]): readonly OriginStep[] => {
  const here = SYSTEMS.find(({ platform }) => platform.test(navigator.platform))?.where
  return [...steps.filter(({ where }) => where === here), ...steps.filter(({ where }) => where !== here)]
}
