// Where a person writes: Enter sends or queues, Ctrl or Cmd with Enter steers. (Escape stops, wherever the focus is: see app.tsx.)
import { useEffect, useRef } from 'preact/hooks'
import type { Opened } from '../state/current-session.ts'
import { LONG_TEXT, longInput } from '../state/message-words.ts'
import { useApp } from './app-context.tsx'
import { SendIcon } from './icons.tsx'
import { isControlEnter, isMac, isPlainEnter } from './keys.ts'
import { ModePicker } from './mode-picker.tsx'
import { ModelPicker } from './model-picker.tsx'
import { PastedView } from './pasted-view.tsx'
import { QueueView } from './queue-view.tsx'
import { StopButton } from './stop-button.tsx'

export const Composer = () => {
  const { current, drafts, sending, modes, layout } = useApp()
  const field = useRef<HTMLTextAreaElement>(null)
  const text = drafts.text.value
  const isRunning = current.phase.value === 'running'
  const { kind } = current.opened.value
  const isEmpty = text.trim() === '' && drafts.pasted.value.length === 0
  const canSend = !isEmpty && isReady(kind)
  const { task } = modes.mode.value
  const failure = sending.failure.value

  const send = (how: 'turn' | 'step') => {
    // Not what was drawn: a key may come before what was written is drawn.
    const written = drafts.text.peek().trim()
    const pasted = drafts.pasted.peek()
    if ((written === '' && pasted.length === 0) || !isReady(current.opened.peek().kind)) return
    drafts.clear()
    void sending.send(written, how, { task: current.phase.peek() === 'running' ? undefined : modes.mode.peek().task, pasted })
    field.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const how = isControlEnter(event) ? 'step' : isPlainEnter(event) ? 'turn' : undefined
    if (how === undefined) return
    event.preventDefault()
    send(how === 'step' && isRunning ? 'step' : 'turn')
  }
  const onPaste = (event: ClipboardEvent & { readonly currentTarget: HTMLTextAreaElement }) => {
    const piece = event.clipboardData?.getData('text/plain') ?? ''
    if (piece.length + event.currentTarget.value.length < LONG_TEXT || piece.length < SHORT_PASTE) return
    event.preventDefault()
    drafts.paste(piece)
  }
  /** Dropped or dictated: before the browser puts it into the field, which takes it seconds when there are many lines. */
  const onBeforeInput = (event: InputEvent) => {
    if (event.data === null || event.data.length < LONG_TEXT) return
    event.preventDefault()
    drafts.paste(event.data)
  }
  /** Put there by a program: before it is laid out. */
  const onInput = ({ currentTarget }: { readonly currentTarget: HTMLTextAreaElement }) => {
    const long = longInput(drafts.text.peek(), currentTarget.value)
    if (long !== undefined) {
      drafts.paste(long.piece)
      currentTarget.value = long.rest
    }
    drafts.edit(currentTarget.value)
  }
  useFittingHeight(field, text)
  useEffect(() => {
    if (!layout.narrow.peek()) field.current?.focus() // a phone would open its keyboard over half of the page
  }, [current.id.value, layout])

  return (
    <form
      class="composer"
      aria-label="Your message"
      onSubmit={(event) => {
        event.preventDefault()
        send('turn')
      }}
    >
      <QueueView />
      {failure === undefined ? null : (
        <p class="composer__failure" role="alert">
          {failure}
        </p>
      )}
      <div class="composer__box">
        <PastedView field={field} />
        <textarea
          id="composer-text"
          class="composer__text"
          ref={field}
          rows={1}
          value={text}
          aria-label="Message"
          aria-describedby="composer-hint"
          placeholder={isRunning ? 'Write what comes next' : task === undefined ? 'What shall the agent do?' : 'What is the task?'}
          enterkeyhint="send"
          onBeforeInput={onBeforeInput}
          onInput={onInput}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        <div class="composer__bar">
          <ModelPicker />
          {isRunning ? null : <ModePicker />}
          <span class="composer__hint" id="composer-hint">
            {kind === 'opening'
              ? 'The session is being opened. What you write is kept, and can be sent then.'
              : isRunning
                ? `Enter queues · ${CONTROL}+Enter steers · Esc stops`
                : 'Enter sends · Shift+Enter for a new line'}
          </span>
          {isRunning ? <StopButton /> : null}
          {isRunning && isEmpty ? null : (
            <button type="submit" class="button button--main button--round" disabled={!canSend} aria-label={isRunning ? 'Queue' : 'Send'}>
              <SendIcon />
            </button>
          )}
        </div>
      </div>
    </form>
  )
}

const isReady = (kind: Opened['kind']): boolean => kind === 'none' || kind === 'open'

/** Characters: a few more words go where they were meant to go, however long the text is already. */
const SHORT_PASTE = 200

const CONTROL = isMac ? 'Cmd' : 'Ctrl'

/** For browsers without `field-sizing: content`. */
const useFittingHeight = (field: { readonly current: HTMLTextAreaElement | null }, text: string) => {
  useEffect(() => {
    if (field.current === null || CSS.supports('field-sizing', 'content')) return
    field.current.style.height = 'auto'
    field.current.style.height = `${field.current.scrollHeight}px`
  }, [field, text])
}
