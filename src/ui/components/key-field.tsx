// A provider's key: typed once, never shown again, and where to get one.
import type { ProviderFields } from '../state/provider-fields.ts'
import type { ProviderPreset } from '../state/provider-presets.ts'
import { FormField } from './form-field.tsx'

type Props = {
  readonly fields: ProviderFields
  readonly preset: ProviderPreset | undefined
  readonly isStored: boolean
  readonly doubt: string | undefined
  readonly onChange: (changed: Partial<ProviderFields>) => void
}

export const KeyField = ({ fields, preset, isStored, doubt, onChange }: Props) => {
  const where = preset?.key
  return (
    <>
      <FormField
        label={preset?.group === 'local' ? 'Key (usually none)' : 'Key'}
        type="password"
        value={fields.key}
        placeholder={isStored ? 'stored; leave empty to keep it' : where?.begins === undefined ? '' : `${where.begins}…`}
        onInput={(key) => onChange({ key, forgetKey: false })}
      >
        {doubt ??
          (where === undefined || preset === undefined ? null : (
            <>
              From {preset.label}:{' '}
              <a class="link" href={where.url} target="_blank" rel="noopener noreferrer" title={where.url}>
                {where.page}
              </a>
            </>
          ))}
      </FormField>
      {isStored ? (
        <label class="check">
          <input
            type="checkbox"
            checked={fields.forgetKey}
            onChange={(event) => onChange({ forgetKey: event.currentTarget.checked, key: '' })}
          />
          <span>Forget the stored key</span>
        </label>
      ) : null}
    </>
  )
}
