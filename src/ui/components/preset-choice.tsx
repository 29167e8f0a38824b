// Which provider: the hosted ones, servers on this computer, anything else.
import type { ProviderPreset } from '../state/provider-presets.ts'
import { providerPresets } from '../state/provider-presets.ts'

type Props = { readonly chosen: string; readonly onChoose: (preset: string) => void }

const GROUPS: readonly { readonly group: ProviderPreset['group']; readonly words: string }[] = [
  { group: 'hosted', words: 'Hosted' },
  { group: 'local', words: 'On this computer' },
  { group: 'other', words: 'Anything else' },
]

export const PresetChoice = ({ chosen, onChoose }: Props) => (
  <div class="preset-groups" role="radiogroup" aria-label="Provider">
    {GROUPS.map(({ group, words }) => (
      <div key={group} class={`preset-group preset-group--${group}`}>
        <span class="preset-group__name">{words}</span>
        <div class="presets">
          {providerPresets
            .filter((preset) => preset.group === group)
            .map((preset) => (
              <label key={preset.id} class="presets__one">
                <input type="radio" name="preset" value={preset.id} checked={chosen === preset.id} onChange={() => onChoose(preset.id)} />
                <span>{preset.label}</span>
              </label>
            ))}
        </div>
      </div>
    ))}
  </div>
)
