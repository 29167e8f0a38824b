// What the agent asks of the person: the oldest question or approval, the answer that is being made, and the way back.
import type { ReadonlySignal } from '@preact/signals'
import { computed, effect, signal } from '@preact/signals'
import type { Answer, Decision, Pending, PendingApproval, PendingQuestion, Question } from './agent-client.ts'
import type { CurrentSession } from './current-session.ts'
import type { Keepsakes } from './keepsakes.ts'
import type { Notices } from './notices.ts'
import { sayFailure } from './say-failure.ts'

export type Asking = {
  /** Of the session on the screen, oldest first. */
  readonly pending: ReadonlySignal<readonly Pending[]>
  /** The one that is shown. */
  readonly first: ReadonlySignal<Pending | undefined>
  /** It was answered, and the log does not say so yet. */
  readonly busy: ReadonlySignal<boolean>
  /** What was chosen and written so far, kept over a reload. */
  readonly answers: ReadonlySignal<readonly Answer[]>
  give(answer: Answer): void
  /** Nothing happens while an answer is missing. */
  submit(): Promise<void>
  dismiss(): Promise<void>
  decide(decision: Decision): Promise<void>
}

type Draft = { readonly callId: string; readonly answers: readonly Answer[] }
type Needs = { readonly current: CurrentSession; readonly keepsakes: Keepsakes; readonly notices: Notices }

const NOTHING: readonly Pending[] = []

export const createAsking = ({ current, keepsakes, notices }: Needs): Asking => {
  const pending = computed(() => current.view.value?.pending ?? NOTHING)
  const first = computed(() => pending.value[0])
  const draft = signal<Draft | undefined>(undefined)
  const sent = signal<string | undefined>(undefined)

  const nameOfDraft = (): string => `answer.${current.id.value ?? ''}`
  const answers = computed<readonly Answer[]>(() => {
    const asked = first.value
    if (asked?.kind !== 'question') return []
    const kept = draft.value?.callId === asked.callId ? draft.value : readDraft(keepsakes.get(nameOfDraft()))
    return kept?.callId === asked.callId ? asked.questions.map((question) => fitting(question, kept.answers)) : []
  })
  const remember = (next: Draft | undefined): void => {
    draft.value = next
    keepsakes.set(nameOfDraft(), next === undefined ? '' : JSON.stringify(next))
  }
  // A later call may have the same id.
  effect(() => {
    if (sent.value !== undefined && !pending.value.some((asked) => keyOf(asked) === sent.value)) sent.value = undefined
  })
  effect(() => {
    current.id.value
    draft.value = undefined
  })

  const settle = async (asked: PendingQuestion | PendingApproval, command: () => Promise<void>, failure: string): Promise<boolean> => {
    if (sent.value === keyOf(asked)) return false
    sent.value = keyOf(asked)
    try {
      await command()
      return true
    } catch (error) {
      sent.value = undefined
      notices.show({ kind: 'error', text: `${failure} ${sayFailure(error)}` })
      return false
    }
  }
  const reply = async (given: readonly Answer[] | null): Promise<void> => {
    const asked = first.value
    const opened = current.opened.value
    if (asked?.kind !== 'question' || opened.kind !== 'open') return
    if (await settle(asked, () => opened.session.answer(asked.callId, given), 'Not answered.')) remember(undefined)
  }

  return {
    pending,
    first,
    busy: computed(() => first.value !== undefined && sent.value === keyOf(first.value)),
    answers,
    give(answer) {
      const asked = first.value
      if (asked?.kind !== 'question') return
      remember({ callId: asked.callId, answers: [...answers.value.filter(({ id }) => id !== answer.id), answer] })
    },
    async submit() {
      const asked = first.value
      if (asked?.kind !== 'question' || firstMissing(asked.questions, answers.value) >= 0) return
      await reply(asked.questions.map((question) => trimmed(fitting(question, answers.value))))
    },
    dismiss: () => reply(null),
    async decide(decision) {
      const asked = first.value
      const opened = current.opened.value
      if (asked?.kind !== 'approval' || opened.kind !== 'open') return
      await settle(asked, () => opened.session.decide(asked.callId, decision), 'Not decided.')
    },
  }
}

/** The place of the first question without an answer; −1 when none is missing. To choose nothing of several is an answer. */
export const firstMissing = (questions: readonly Question[], answers: readonly Answer[]): number =>
  questions.findIndex((question) => {
    if (question.multiple === true && question.options !== undefined) return false
    const { chosen, text } = fitting(question, answers)
    return chosen.length === 0 && (text ?? '').trim() === ''
  })

export const keyOf = (asked: Pending): string => `${asked.kind} ${asked.callId}`

/** Only what this question offers: a draft may be of an earlier call with the same id. */
const fitting = ({ id, options = [], freeText }: Question, answers: readonly Answer[]): Answer => {
  const given = answers.find((answer) => answer.id === id)
  return {
    id,
    chosen: options.flatMap(({ label }) => (given?.chosen.includes(label) ? [label] : [])),
    ...(freeText === true && given?.text !== undefined ? { text: given.text } : {}),
  }
}

const trimmed = ({ id, chosen, text = '' }: Answer): Answer => ({ id, chosen, ...(text.trim() === '' ? {} : { text: text.trim() }) })

const readDraft = (kept: string | undefined): Draft | undefined => {
  if (kept === undefined) return undefined
  try {
    const { callId, answers } = JSON.parse(kept) as Partial<Draft>
    return typeof callId === 'string' && Array.isArray(answers) && answers.every(isAnswer) ? { callId, answers } : undefined
  } catch {
    return undefined // something else wrote there: the answer begins empty
  }
}

const isAnswer = (value: unknown): value is Answer =>
  typeof value === 'object' && value !== null && 'id' in value && 'chosen' in value && Array.isArray(value.chosen)
