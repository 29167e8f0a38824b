// Settings: the models that run in this tab, what room they take, and the way to more of them.
import { useEffect, useRef } from 'preact/hooks'
import type { LocalModelView } from '../state/agent-client.ts'
import { sayWeight } from '../state/local-model-words.ts'
import { roomLeft } from '../state/storage-facts.ts'
import { AddLocalModel, useAddModel } from './add-local-model.tsx'
import { useApp } from './app-context.tsx'
import { Dots } from './icons.tsx'
import { LocalModelRow } from './local-model-row.tsx'

export const LocalModelsSection = () => {
  const { localModels, layout } = useApp()
  const heading = useRef<HTMLHeadingElement>(null)
  const listing = localModels.listing.value
  const adding = useAddModel()
  useEffect(() => {
    void localModels.look()
  }, [localModels])
  useEffect(() => {
    if (layout.settingsPart.peek() !== 'local-models') return
    heading.current?.scrollIntoView({ block: 'start' })
    heading.current?.focus({ preventScroll: true })
  }, [layout, listing.kind])
  return (
    <section class="settings__part local-models" aria-labelledby="settings-local" {...adding.dropPlace}>
      <h3 id="settings-local" ref={heading} tabIndex={-1}>
        In this tab
      </h3>
      <p class="hint">
        These models run on this device, inside this tab: nothing you write leaves it, and once one is here it works without a network. They
        are small, so they know less and err more than hosted ones; the first answer takes a while, and each needs a little more memory than
        its size.
      </p>
      {listing.kind === 'loading' ? (
        <p class="hint" role="status">
          Looking what is here <Dots />
        </p>
      ) : listing.kind === 'failed' ? (
        <p class="names__failure" role="status">
          The models could not be listed. {listing.message}{' '}
          <button type="button" class="link-button" onClick={() => void localModels.look()}>
            Try again
          </button>
        </p>
      ) : (
        <>
          {listing.models.length === 0 ? null : (
            <ul class="providers" aria-labelledby="settings-local">
              {listing.models.map((model) => (
                <LocalModelRow key={model.id} model={model} onGone={() => heading.current?.focus()} />
              ))}
            </ul>
          )}
          <AddLocalModel adding={adding} />
          <Room models={listing.models} />
        </>
      )}
      <p class="hidden" role="status" data-said>
        {localModels.said.value}
      </p>
    </section>
  )
}

const Room = ({ models }: { readonly models: readonly LocalModelView[] }) => {
  const { storage } = useApp()
  const taken = models.reduce((sum, { here }) => sum + here, 0)
  const report = storage.report.value
  const free = report === undefined ? undefined : roomLeft(report)
  if (taken === 0 && free === undefined) return null
  return (
    <p class="hint" data-room>
      {taken === 0 ? '' : `They take ${sayWeight(taken)} of this browser’s storage. `}
      {free === undefined ? '' : `There is room for about ${sayWeight(free)}${taken === 0 ? '' : ' more'}.`}
    </p>
  )
}
