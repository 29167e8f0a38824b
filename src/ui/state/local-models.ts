// Models that run in this tab: what there is, how far each is, and what a person does with them.
import type { ReadonlySignal } from '@preact/signals'
import { computed, effect, signal } from '@preact/signals'
import { LOCAL_PROVIDER } from '../../worker/protocol/local-models.ts'
import type { AgentClient, LocalModelSource, LocalModelView } from './agent-client.ts'
import type { Layout } from './layout.ts'
import { hasSource, isKept, sayWork } from './local-model-words.ts'
import type { Models } from './models.ts'
import type { Notice, Notices } from './notices.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { sayFailure } from './say-failure.ts'
import type { StorageFacts } from './storage-facts.ts'

export type LocalListing =
  | { readonly kind: 'loading' }
  | { readonly kind: 'loaded'; readonly models: readonly LocalModelView[] }
  | { readonly kind: 'failed'; readonly message: string }

export type LocalModels = {
  readonly listing: ReadonlySignal<LocalListing>
  /** By the model's id: why what a person last tried with it failed. */
  readonly failures: ReadonlySignal<ReadonlyMap<string, string>>
  /** What the model of the session on the screen does before it answers; undefined when nothing, or when it is no model of this tab. */
  readonly work: ReadonlySignal<string | undefined>
  /** For a screen reader, while the settings cover the page: the start, the end and the failure of a download, and nothing in between. */
  readonly said: ReadonlySignal<string>
  /** What changed is seen when it resolves. */
  look(): Promise<void>
  /** Resolves when all is here, it was stopped, or it failed. */
  download(id: string): Promise<void>
  stop(id: string): Promise<void>
  remove(id: string): Promise<void>
  /**
   * A file is here when it resolves; from an address the download begins. Gives the model's id, or nothing when the copy was stopped.
   * Rejects with why it was not added.
   */
  add(source: LocalModelSource): Promise<string | undefined>
  /** For the session on the screen and for new ones. */
  use(model: LocalModelView): Promise<void>
  dispose(): void
}

type Needs = {
  readonly client: AgentClient
  readonly models: Pick<Models, 'chosen' | 'choices' | 'isLocal' | 'load' | 'pick'>
  readonly storage: Pick<StorageFacts, 'look' | 'persist' | 'report'>
  readonly notices: Notices
  readonly layout: Pick<Layout, 'settingsShown'>
}

export const createLocalModels = ({ client, models, storage, notices, layout }: Needs): LocalModels => {
  const { local } = client.host
  const listing = signal<LocalListing>({ kind: 'loading' })
  const failures = signal<ReadonlyMap<string, string>>(new Map())
  const said = signal('')
  let stoppedCopies = 0

  const find = (id: string): LocalModelView | undefined =>
    listing.value.kind === 'loaded' ? listing.value.models.find((model) => model.id === id) : undefined
  const nameOf = (id: string): string => find(id)?.label ?? 'The model'

  const forgetFailure = (id: string): void => {
    failures.value = new Map([...failures.value].filter(([failed]) => failed !== id))
  }
  /** The picker offers what is here, whoever brought it. */
  const offerKept = (now: readonly LocalModelView[]): void => {
    const offered = models.choices.peek().flatMap(({ provider, model }) => (provider === LOCAL_PROVIDER ? [model] : []))
    const settled = now.filter(({ state }) => state.kind !== 'downloading') // for a moment those are both
    if (
      settled.some((model) => offered.includes(model.id) !== isKept(model)) ||
      offered.some((id) => now.every((model) => model.id !== id))
    )
      void models.load()
  }
  const look = oneAtATime(async () => {
    try {
      const now = await local.list({})
      // Another tab may have brought what failed here.
      for (const model of now) if (isKept(model) && find(model.id)?.state.kind === 'absent') forgetFailure(model.id)
      listing.value = { kind: 'loaded', models: now }
      offerKept(now)
    } catch (error) {
      if (listing.value.kind !== 'loaded') listing.value = { kind: 'failed', message: sayFailure(error) }
    }
  })

  /** Behind the settings nobody sees a notice; without them nobody sees a row. */
  const tell = (notice: Notice): void => {
    said.value = notice.text
    if (!layout.settingsShown.peek()) notices.show(notice)
  }
  const fail = (id: string, error: unknown): void => {
    const message = sayFailure(error)
    failures.value = new Map([...failures.value, [id, message]])
    tell({ kind: 'error', text: `${nameOf(id)}: ${message}` })
  }
  const use = async ({ id, label }: LocalModelView): Promise<void> => {
    await models.pick({ provider: LOCAL_PROVIDER, model: id, label })
    notices.speak(`${label} answers from now on.`)
  }
  const tellHere = (model: LocalModelView): void => {
    const here = { kind: 'plain', text: `${model.label} is here.` } as const
    const isChosen = models.isLocal.peek() && models.chosen.peek()?.model === model.id
    const offer: Notice = {
      ...here,
      keeps: true, // a download is long, and whoever began it may look elsewhere
      act: {
        label: 'Use it',
        run() {
          notices.dismiss(offer)
          void use(model)
        },
      },
    }
    tell(isChosen ? here : offer)
  }
  const lookAll = () => Promise.all([look(), storage.look()])

  const download = async (id: string): Promise<void> => {
    forgetFailure(id)
    if (storage.report.peek()?.persisted !== true) void storage.persist()
    said.value = `Downloading ${nameOf(id)}.`
    const ended = local.download({ id })
    void look()
    try {
      await ended
    } catch (error) {
      fail(id, error)
      await lookAll()
      return
    }
    await lookAll()
    const model = find(id)
    if (model !== undefined && isKept(model)) tellHere(model)
    else if (model !== undefined) tell({ kind: 'plain', text: `The download of ${model.label} was stopped. What has arrived is kept.` })
  }
  /** What is tried with a model that is there. */
  const attempt = async (id: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      fail(id, error)
    }
    await lookAll()
  }

  return {
    listing,
    failures,
    work: computed(() => {
      const model = models.isLocal.value ? find(models.chosen.value?.model ?? '') : undefined
      return model === undefined ? undefined : sayWork(model)
    }),
    said,
    look,
    download,
    stop(id) {
      const model = find(id)
      if (model !== undefined && !hasSource(model)) stoppedCopies += 1
      return attempt(id, () => local.stop({ id }))
    },
    async remove(id) {
      const name = nameOf(id)
      forgetFailure(id)
      await attempt(id, async () => {
        await local.remove({ id })
        tell({ kind: 'plain', text: `${name} was removed.` })
      })
    },
    async add(source) {
      const stoppedBefore = stoppedCopies
      if ('file' in source && storage.report.peek()?.persisted !== true) void storage.persist()
      try {
        const { id } = await local.add({ source })
        await lookAll()
        const model = find(id)
        if ('url' in source) void download(id)
        else if (model !== undefined) tellHere(model)
        return id
      } catch (error) {
        if (stoppedCopies > stoppedBefore) {
          tell({ kind: 'plain', text: 'The copy was stopped. Nothing of it was kept.' })
          await lookAll()
          return undefined
        }
        tell({ kind: 'error', text: `The model was not added. ${sayFailure(error)}` })
        void lookAll()
        throw error
      }
    },
    use,
    // From then on every change is news.
    dispose: effect(() => {
      if (models.isLocal.value) void look()
    }),
  }
}
