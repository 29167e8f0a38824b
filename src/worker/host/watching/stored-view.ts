// A session as it is stored, for a page whose driver does not answer: it is frozen or busy, which is no reason to show nothing.
import type { SessionId } from '../../../storage/log/content.ts'
import type { SessionStore } from '../../../storage/session-store.ts'
import type { LiveState } from '../../protocol/frames.ts'
import type { Driver } from '../tabs/driver.ts'
import { startWatch } from './watch.ts'

/** For watching only. Errors: those of reading. */
export const storedDriver = async (store: SessionStore, id: SessionId): Promise<Driver> => {
  const [row, events, waiting] = await Promise.all([store.get(id), store.read(id, { after: -1 }), store.waiting(id)])
  const { options = {}, held = false } = row ?? {}
  const live: LiveState = { status: 'idle', options, waiting, held, driver: 'elsewhere', storage: { kind: 'ok' } }
  return {
    where: 'elsewhere',
    tenure: '',
    call: () => new Promise(() => {}),
    watch: (after, show) => startWatch({ session: { events }, show, after, stored: () => events.length, live: () => live }),
  }
}
