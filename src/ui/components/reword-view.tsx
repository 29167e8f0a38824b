// An earlier message in the making again, in its place: sent, it goes on in a fork, and this session stays as it is.
import { useEffect, useRef } from 'preact/hooks'
import type { ContentBlock } from '../../storage/log/content.ts'
import { besideWords } from '../state/message-words.ts'
import type { Rewording } from '../state/rewording.ts'
import { saySize } from '../state/say-time.ts'
import { useApp } from './app-context.tsx'
import { Dots } from './icons.tsx'
import { isEscape, isPlainEnter } from './keys.ts'
import { textOf } from './text-of.ts'
import { useFocusHandover } from './use-focus-handover.ts'

export const RewordView = ({ edit }: { readonly edit: Rewording }) => {
  const { forks, current } = useApp()
  const place = useRef<HTMLFormElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  useFocusHandover(place, () => [`[data-message-id="${CSS.escape(edit.id)}"] [data-act=reword]`])
  useEffect(() => {
    if (!edit.isNew) return
    field.current?.focus()
    field.current?.setSelectionRange(field.current.value.length, field.current.value.length)
  }, [])
  const isBusy = forks.isBusy.value
  const beside = besideWords(edit.content)
  const goesOn = current.phase.value === 'running' || current.phase.value === 'waiting'
  const onKeyDown = (event: KeyboardEvent) => {
    if (isPlainEnter(event)) {
      event.preventDefault()
      void forks.resend()
    } else if (isEscape(event)) {
      event.stopPropagation()
      forks.leave()
    }
  }
  return (
    <form
      class="said reword"
      ref={place}
      data-item="user"
      data-state="editing"
      data-message-id={edit.id}
      aria-label="Edit and send again"
      onSubmit={(event) => {
        event.preventDefault()
        void forks.resend()
      }}
    >
      {beside.length === 0 ? null : <p class="reword__beside">Goes along: {beside.map(nameOf).join(', ')}</p>}
      <textarea
        class="field reword__text"
        aria-label="Your message, in other words"
        aria-describedby="reword-about"
        rows={2}
        value={edit.text}
        readOnly={isBusy}
        ref={field}
        onInput={(event) => forks.write(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {edit.failure === undefined ? null : (
        <p class="hint hint--error" role="alert">
          {edit.failure}
        </p>
      )}
      <div class="reword__foot">
        <p class="hint" id="reword-about">
          Goes on in a fork, with the files as they were here. This session {goesOn ? 'goes on with its work' : 'stays as it is'}.
        </p>
        <span class="row">
          <button type="button" class="button button--small button--quiet" onClick={forks.leave}>
            Cancel
          </button>
          <button
            type="submit"
            class="button button--small button--main"
            disabled={isBusy || (edit.text.trim() === '' && beside.length === 0)}
          >
            {isBusy ? (
              <>
                Forking <Dots />
              </>
            ) : (
              'Send in a fork'
            )}
          </button>
        </span>
      </div>
    </form>
  )
}

const nameOf = (block: ContentBlock): string => (block.type === 'text' ? `a long text (${saySize(block.text.length)})` : textOf([block]))
