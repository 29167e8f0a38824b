// Which tab drives the session on the screen: followed live, said when it changes, and taken over when the person wants it here.
import type { ReadonlySignal } from '@preact/signals'
import { computed, effect, signal } from '@preact/signals'
import type { SessionId } from '../../storage/log/content.ts'
import type { AgentClient, LiveState } from './agent-client.ts'
import type { CurrentSession } from './current-session.ts'
import type { Notices } from './notices.ts'
import { sayFailure } from './say-failure.ts'

export type Driving = {
  readonly isElsewhere: ReadonlySignal<boolean>
  readonly isTakingOver: ReadonlySignal<boolean>
  takeOver(): Promise<void>
  dispose(): void
}

type Needs = { readonly client: AgentClient; readonly current: CurrentSession; readonly notices: Notices }
type Seen = { readonly id: SessionId | undefined; readonly driver: LiveState['driver'] | undefined }

export const createDriving = ({ client, current, notices }: Needs): Driving => {
  const taking = signal<SessionId | undefined>(undefined)
  let before: Seen = { id: undefined, driver: undefined }

  const say = (text: string): void => notices.show({ kind: 'plain', text })
  const dispose = effect(() => {
    const now: Seen = {
      id: current.id.value,
      driver: current.live.value?.driver ?? (before.id === current.id.value ? before.driver : undefined),
    }
    const was = before
    before = now
    if (was.id !== now.id || was.driver === undefined || was.driver === now.driver) return // how a session stands when it is opened is no news
    if (now.driver === 'elsewhere') say('Another tab drives this session now. You can go on here as before.')
    else if (taking.peek() !== now.id) say('This tab drives the session now: the other one has left it.')
  })
  return {
    isElsewhere: computed(() => current.live.value?.driver === 'elsewhere' && current.view.value?.closed === undefined),
    isTakingOver: computed(() => taking.value !== undefined && taking.value === current.id.value),
    async takeOver() {
      const id = current.id.peek()
      if (id === undefined || taking.peek() === id) return
      taking.value = id
      try {
        await client.tabs.takeOver(id)
        notices.speak('This tab drives the session now.')
      } catch (error) {
        notices.show({ kind: 'error', text: `The session was not taken over. ${sayFailure(error)}` })
      } finally {
        if (taking.peek() === id) taking.value = undefined
      }
    },
    dispose,
  }
}
