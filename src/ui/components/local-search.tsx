// Model servers on this computer: looked for on a click, shown with what it takes to use each.
import { useState } from 'preact/hooks'
import type { LocalSearch, LocalServer } from '../state/agent-client.ts'
import { providerPresets } from '../state/provider-presets.ts'
import { sayFailure } from '../state/say-failure.ts'
import { useApp } from './app-context.tsx'
import { Dots } from './icons.tsx'
import { OriginHelp } from './origin-help.tsx'
import type { Stoppable } from './use-stoppable.ts'
import { useStoppable } from './use-stoppable.ts'

export type LocalLook =
  | { readonly kind: 'none' }
  | { readonly kind: 'looking' }
  | { readonly kind: 'found'; readonly search: LocalSearch }
  | { readonly kind: 'failed'; readonly message: string }

export const useLocalLook = (): { readonly look: LocalLook; readonly start: () => void; readonly stop: Stoppable['stop'] } => {
  const { models } = useApp()
  const [look, setLook] = useState<LocalLook>({ kind: 'none' })
  const { begin, stop } = useStoppable()
  const start = async () => {
    setLook({ kind: 'looking' })
    const signal = begin()
    const next = await models.findLocal(signal).then(
      (search): LocalLook => ({ kind: 'found', search }),
      (error: unknown): LocalLook => (signal.aborted ? { kind: 'none' } : { kind: 'failed', message: sayFailure(error) }),
    )
    setLook(next)
  }
  return { look, start: () => void start(), stop }
}

type Props = {
  readonly look: LocalLook
  /** Addresses that are providers already. */
  readonly taken: readonly string[]
  readonly onUse: (server: LocalServer) => void
}

export const LocalServers = ({ look, taken, onUse }: Props) => (
  <div class="local" role="status" data-local-search={look.kind}>
    {look.kind === 'looking' ? (
      <p class="probe">
        <Dots /> Asking the usual ports of this computer. The browser may want your leave first.
      </p>
    ) : look.kind === 'failed' ? (
      <p class="names__failure">{look.message}</p>
    ) : look.kind === 'found' ? (
      <Found search={look.search} taken={taken} onUse={onUse} />
    ) : null}
  </div>
)

const Found = ({ search, taken, onUse }: { readonly search: LocalSearch } & Omit<Props, 'look'>) => {
  if (search.access === 'denied') {
    return (
      <p class="hint">
        This browser was told not to let this page reach this computer. Allow it in the page’s site settings (the symbol left of the
        address), then look again.
      </p>
    )
  }
  if (search.servers.length === 0) {
    return (
      <p class="hint">
        No model server answers at the usual ports. Start one (Ollama, LM Studio, llama.cpp, vLLM), or add it with its address
        {location.protocol === 'https:' ? '. Some browsers, Safari among them, let no https page look here at all' : ''}.
      </p>
    )
  }
  return (
    <ul class="providers">
      {search.servers.map((server) => (
        <ServerRow key={server.baseUrl} server={server} isTaken={taken.some((address) => isSame(address, server.baseUrl))} onUse={onUse} />
      ))}
    </ul>
  )
}

const isSame = (one: string, other: string): boolean =>
  one.replace('//localhost:', '//127.0.0.1:') === other.replace('//localhost:', '//127.0.0.1:')

type RowProps = { readonly server: LocalServer; readonly isTaken: boolean; readonly onUse: (server: LocalServer) => void }

const ServerRow = ({ server, isTaken, onUse }: RowProps) => {
  const { host } = new URL(server.baseUrl)
  const name = nameOf(server)
  const count = server.models.length
  const models = count === 0 ? 'no models yet' : count === 1 ? '1 model' : `${count} models`
  const about =
    server.state === 'refuses' ? 'There, but it does not let this page read its answers' : isTaken ? `${models} · added already` : models
  return (
    <li class="provider" data-local={server.kind} data-state={server.state}>
      <div class="provider__words">
        <span class="provider__name">{server.state === 'refuses' ? `${host} (${name}?)` : name}</span>
        <span class="provider__about">{server.state === 'refuses' ? about : `${host} · ${about}`}</span>
      </div>
      {server.state === 'refuses' || isTaken ? null : (
        <button type="button" class="button button--small" aria-label={`Use ${name} at ${host}`} onClick={() => onUse(server)}>
          Use
        </button>
      )}
      {server.state === 'refuses' ? <OriginHelp kind={server.kind} /> : null}
    </li>
  )
}

const nameOf = ({ kind, baseUrl }: LocalServer): string =>
  kind === 'other' ? `Server at ${new URL(baseUrl).port}` : (providerPresets.find(({ id }) => id === kind)?.label ?? kind)
