// A call that needs the person's permission: exactly what will happen, and four answers for the keyboard.
import { useState } from 'preact/hooks'
import type { Decision, PendingApproval } from '../state/agent-client.ts'
import { sayWanted } from '../state/say-asked.ts'
import { WhatHappens } from '../tool-views/what-happens.tsx'
import { useApp } from './app-context.tsx'
import { isPlainEnter } from './keys.ts'

type Choice = { readonly label: string; readonly about: string; readonly decision: Decision }

const CHOICES: readonly Choice[] = [
  { label: 'Allow once', about: 'Only this call', decision: { kind: 'allow', reach: 'once' } },
  {
    label: 'Allow in this session',
    about: 'This tool is not asked about again in this session',
    decision: { kind: 'allow', reach: 'session' },
  },
  { label: 'Always', about: 'This tool is not asked about again in any session', decision: { kind: 'allow', reach: 'always' } },
  { label: 'Deny', about: 'It does not run, and the agent is told', decision: { kind: 'deny', reach: 'once' } },
]

export const ApprovalCard = ({ asked }: { readonly asked: PendingApproval }) => {
  const { asking } = useApp()
  const [reason, setReason] = useState('')
  const busy = asking.busy.value
  const decide = ({ decision }: Choice) => {
    const note = reason.trim()
    void asking.decide(decision.kind === 'deny' && note !== '' ? { ...decision, note } : decision)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const field = event.target as HTMLElement
    if (field.matches('input')) {
      if (isPlainEnter(event)) decide(DENY)
      return
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const choice = CHOICES[Number(event.key) - 1]
    if (choice !== undefined) {
      event.preventDefault()
      return decide(choice)
    }
    const buttons = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('[data-choice]')]
    const at = buttons.indexOf(field)
    const step = STEPS[event.key]
    if (at < 0 || step === undefined) return
    event.preventDefault()
    buttons[(at + step + buttons.length) % buttons.length]?.focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the buttons inside it
    <div class="ask__form" onKeyDown={onKeyDown}>
      <h2 class="ask__title" id="ask-title">
        The agent wants to {sayWanted(asked)}
      </h2>
      <div class="ask__body">
        <WhatHappens asked={asked} />
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: buttons are no fields of a form */}
      <div class="row ask__acts" role="group" aria-label="Your decision">
        {CHOICES.map((choice, number) => (
          <button
            key={choice.label}
            type="button"
            class={`button ${number === 0 ? 'button--main' : choice === DENY ? 'button--danger' : ''}`}
            title={choice.about}
            aria-label={choice.label}
            aria-keyshortcuts={String(number + 1)}
            data-choice={choice.label}
            data-first={number === 0 ? '' : undefined}
            disabled={busy}
            onClick={() => decide(choice)}
          >
            <span class="key" aria-hidden="true">
              {number + 1}
            </span>
            {choice.label}
          </button>
        ))}
        <input
          class="field ask__reason"
          aria-label="Reason for a no (optional)"
          placeholder="Reason (optional)"
          maxLength={1000}
          value={reason}
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </div>
    </div>
  )
}

const DENY = CHOICES[3] as Choice
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }
