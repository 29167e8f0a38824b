// Adds a model of one's own to this tab: from an address, or a file that is chosen or dropped.
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { withoutHiddenMarks } from '../markdown/hidden-marks.ts'
import type { LocalModelSource } from '../state/agent-client.ts'
import { sayFailure } from '../state/say-failure.ts'
import { useApp } from './app-context.tsx'
import { OpenIcon, PlusIcon } from './icons.tsx'

type Form =
  | { readonly kind: 'closed' }
  | { readonly kind: 'open'; readonly problem?: string }
  | { readonly kind: 'copying'; readonly name: string }
  | { readonly kind: 'adding' }

export type AddModel = {
  readonly form: Form
  open(): void
  close(): void
  /** Something else is written: what was wrong is not any more. */
  change(): void
  add(source: LocalModelSource): void
  /** For the element that takes dropped files. */
  readonly dropPlace: { onDragOver(event: DragEvent): void; onDrop(event: DragEvent): void }
}

/** Characters that the agent takes of an address. */
const LONGEST_ADDRESS = 2000
const TOO_LONG = `This address is too long: a model’s has ${LONGEST_ADDRESS.toLocaleString('en')} characters at most.`

const toSource = (file: File): LocalModelSource => ({ file, name: file.name })

export const useAddModel = (): AddModel => {
  const { localModels } = useApp()
  const [form, setForm] = useState<Form>({ kind: 'closed' })
  const isBusy = form.kind === 'copying' || form.kind === 'adding'
  const add = async (source: LocalModelSource) => {
    if (isBusy) return
    if ('url' in source && source.url.length > LONGEST_ADDRESS) return setForm({ kind: 'open', problem: TOO_LONG })
    setForm('file' in source ? { kind: 'copying', name: source.name } : { kind: 'adding' })
    try {
      const id = await localModels.add(source)
      setForm({ kind: 'closed' })
      if (id === undefined) return
      const row = document.querySelector<HTMLElement>(`[data-local-model="${CSS.escape(id)}"]`)
      row?.scrollIntoView({ block: 'nearest' })
      row?.querySelector('button')?.focus({ preventScroll: true })
    } catch (error) {
      setForm({ kind: 'open', problem: sayFailure(error) })
    }
  }
  return {
    form,
    open: () => setForm({ kind: 'open' }),
    close: () => setForm({ kind: 'closed' }),
    change: () => (form.kind === 'open' && form.problem !== undefined ? setForm({ kind: 'open' }) : undefined),
    add: (source) => void add(source),
    dropPlace: {
      onDragOver(event) {
        if (event.dataTransfer?.types.includes('Files') === true) event.preventDefault() // else the browser leaves the page for the file
      },
      onDrop(event) {
        const [file] = event.dataTransfer?.files ?? []
        if (file === undefined) return
        event.preventDefault()
        void add(toSource(file))
      },
    },
  }
}

export const AddLocalModel = ({ adding }: { readonly adding: AddModel }) => {
  const button = useRef<HTMLButtonElement>(null)
  const isClosed = adding.form.kind === 'closed'
  const wasClosed = useRef(isClosed)
  useEffect(() => {
    // The form that had the focus is gone.
    if (isClosed && !wasClosed.current && document.activeElement === document.body) button.current?.focus()
    wasClosed.current = isClosed
  }, [isClosed])
  if (!isClosed) return <AddForm adding={adding} />
  return (
    <button type="button" class="button" ref={button} onClick={adding.open}>
      <PlusIcon /> Add a model…
    </button>
  )
}

const AddForm = ({ adding }: { readonly adding: AddModel }) => {
  const { form } = adding
  const [address, setAddress] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const file = useRef<HTMLInputElement>(null)
  const id = useId()
  const about = useId()
  const isBusy = form.kind === 'copying' || form.kind === 'adding'
  const problem = form.kind === 'open' ? form.problem : undefined
  useEffect(() => {
    field.current?.focus({ preventScroll: true })
    field.current?.form?.scrollIntoView({ block: 'nearest' })
  }, [])
  useEffect(() => {
    if (problem !== undefined) field.current?.focus()
  }, [problem])
  return (
    <form
      class="provider-form"
      aria-label="Add a model to this tab"
      onSubmit={(event) => {
        event.preventDefault()
        if (address.trim() === '') field.current?.focus()
        else adding.add({ url: address.trim() })
      }}
    >
      <div class="labelled">
        <label for={id}>Address</label>
        <div class="labelled__field">
          <input
            id={id}
            class="field"
            type="text"
            inputMode="url"
            ref={field}
            value={address}
            disabled={isBusy}
            placeholder="https://huggingface.co/…/model.gguf"
            autoComplete="off"
            autoCapitalize="off"
            spellcheck={false}
            aria-describedby={about}
            aria-invalid={problem !== undefined}
            onInput={(event) => {
              setAddress(event.currentTarget.value)
              adding.change()
            }}
          />
          <p class={problem === undefined ? 'hint' : 'hint hint--error'} id={about} role="status">
            {problem ?? sayForm(form)}
          </p>
        </div>
      </div>
      <div class="row">
        <button type="button" class="button" disabled={isBusy} onClick={() => file.current?.click()}>
          <OpenIcon /> Choose a file…
        </button>
        <input
          type="file"
          hidden
          accept=".gguf"
          ref={file}
          data-model-file
          onChange={({ currentTarget }) => {
            const [chosen] = currentTarget.files ?? []
            currentTarget.value = '' // the same file can be chosen again
            if (chosen !== undefined) adding.add(toSource(chosen))
          }}
        />
        <span class="row local-model__end">
          <button type="button" class="button button--quiet" disabled={isBusy} onClick={adding.close}>
            Cancel
          </button>
          <button type="submit" class="button button--main" disabled={isBusy}>
            Download
          </button>
        </span>
      </div>
    </form>
  )
}

const sayForm = (form: Form): string =>
  form.kind === 'copying'
    ? `Copying ${withoutHiddenMarks(form.name)} into this browser…`
    : 'Leads to a .gguf file, or to its page on huggingface.co. For a model in several parts, that of the first. A file of yours can also be dropped here.'
