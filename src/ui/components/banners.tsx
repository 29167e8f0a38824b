// What stands above everything: the agent's worker is gone, or what happens cannot be stored.
import type { ComponentChildren } from 'preact'
import type { AgentSession } from '../state/agent-client.ts'
import type { CurrentSession } from '../state/current-session.ts'
import { sayFailure } from '../state/say-failure.ts'
import { useApp } from './app-context.tsx'
import { Dots, WarningIcon } from './icons.tsx'

export const Banners = () => {
  const { health, current, notices, layout } = useApp()
  const state = health.value
  const storage = current.live.value?.storage
  const closed = current.view.value?.closed
  const opened = current.opened.value
  const save = () => {
    if (opened.kind === 'open')
      saveAndGoOn(opened.session, current).catch((error: unknown) => notices.show({ kind: 'error', text: sayFailure(error) }))
  }
  return (
    <>
      {state.kind === 'restarting' ? (
        <Banner kind="warning" name="restarting">
          <Dots /> {state.message}
        </Banner>
      ) : null}
      {state.kind === 'failed' ? (
        <Banner kind="error" name="failed" act={{ label: 'Reload the page', run: () => location.reload() }}>
          <WarningIcon /> The agent could not be started. {state.message}
        </Banner>
      ) : null}
      {storage?.kind === 'failed' ? (
        <Banner
          kind="error"
          name="storage"
          act={{ label: 'Try again', run: save }}
          more={storage.code === 'storage/quota' ? { label: 'Show storage', run: () => layout.showSettings(true) } : undefined}
        >
          <WarningIcon /> {storage.message}
        </Banner>
      ) : null}
      {closed === undefined ? null : (
        <Banner kind="warning" name="closed" act={{ label: 'New session', run: current.startNew }}>
          <WarningIcon /> {sayClosed(closed)}
        </Banner>
      )}
    </>
  )
}

const sayClosed = ({ code, message }: { readonly code: string; readonly message: string }): string =>
  code === 'session/unknown' ? 'This session was deleted, or the browser removed it. What you see here is not stored any more.' : message

/** The run that stopped because nothing could be stored is the same run that goes on. */
const saveAndGoOn = async (session: AgentSession, current: CurrentSession): Promise<void> => {
  await session.save()
  const run = current.run.peek()
  if (run.kind === 'paused' && run.by.kind === 'error' && run.by.code?.startsWith('storage/')) await session.continue()
}

type Act = { readonly label: string; readonly run: () => void }

type BannerProps = {
  readonly kind: 'warning' | 'error'
  readonly name: string
  readonly act?: Act
  readonly more?: Act | undefined
  readonly children: ComponentChildren
}

const Banner = ({ kind, name, act, more, children }: BannerProps) => (
  <div class="banner" data-kind={kind} data-banner={name} role={kind === 'error' ? 'alert' : 'status'}>
    <span class="banner__words">{children}</span>
    <span class="row">
      {[more, act].map((one) =>
        one === undefined ? null : (
          <button key={one.label} type="button" class="button button--small" onClick={one.run}>
            {one.label}
          </button>
        ),
      )}
    </span>
  </div>
)
