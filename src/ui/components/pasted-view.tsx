// Long texts that were pasted: beside the message instead of in its field, which would make each key wait.
import { useRef } from 'preact/hooks'
import { saySize } from '../state/say-time.ts'
import { useApp } from './app-context.tsx'
import { CloseIcon, FileIcon, PencilIcon } from './icons.tsx'
import { useFocusHandover } from './use-focus-handover.ts'

type Field = { readonly current: HTMLTextAreaElement | null }

export const PastedView = ({ field }: { readonly field: Field }) => {
  const { drafts } = useApp()
  const pasted = drafts.pasted.value
  if (pasted.length === 0) return null
  return (
    <ul class="pasted" aria-label="Pasted texts that go along">
      {pasted.map((text, at) => (
        <PastedRow key={`${at} ${text.length}`} text={text} at={at} field={field} />
      ))}
    </ul>
  )
}

/** Characters. A longer one in the field would block the page for too long. */
const EDITABLE = 50_000
const SHOWN = 80

const PastedRow = ({ text, at, field }: { readonly text: string; readonly at: number; readonly field: Field }) => {
  const { drafts } = useApp()
  const row = useRef<HTMLLIElement>(null)
  useFocusHandover(row, () => [field.current])
  const edit = () => {
    const piece = drafts.unpaste(at)
    const before = drafts.text.peek()
    if (piece !== undefined) drafts.edit(before === '' ? piece : `${before}\n\n${piece}`)
  }
  return (
    <li class="pasted__row" ref={row} data-pasted>
      <FileIcon />
      <span class="pasted__words">
        <strong>Pasted text</strong> {saySize(text.length)}
        <span class="pasted__beginning">{text.slice(0, SHOWN).trim()}</span>
      </span>
      {text.length > EDITABLE ? null : (
        <button
          type="button"
          class="icon-button"
          aria-label="Put the pasted text into the message"
          title="Put into the message"
          onClick={edit}
        >
          <PencilIcon />
        </button>
      )}
      <button type="button" class="icon-button" aria-label="Remove the pasted text" title="Remove" onClick={() => void drafts.unpaste(at)}>
        <CloseIcon />
      </button>
    </li>
  )
}
