// The moments at which something is killed: each brings its session there, and says in whose hands it is then.
import type { ExportedFile } from './copies.ts'
import type { Task } from './model.ts'
import type { Tab } from './tab.ts'
import { cancel, edit, prompt, remove, rename } from './wishes.ts'
import type { World } from './world.ts'

/** The scene of a kill. `session` is open in every tab. */
export type Scene = {
  readonly world: World
  readonly session: string
  readonly tabs: readonly Tab[]
  readonly files: ExportedFile[]
  /** Forks and imports, which may be deleted. */
  readonly copies: readonly string[]
}

/** `asker`: the tab whose own work is cut, if it is not the driver's. `pauseMs`: how long to let it go on before the kill. */
export type Arrived = { readonly asker?: Tab; readonly pauseMs: number }
type Moment = (scene: Scene) => Promise<Arrived>

const WAIT_MS = 20_000

const anyTab = ({ world, tabs }: Scene): Tab => world.random.pick(tabs)

const asksFor = async (scene: Scene, task: Task): Promise<{ readonly id: string; readonly tab: Tab }> => {
  const tab = anyTab(scene)
  const { id, answered } = prompt(scene.world, tab, scene.session, task, scene.world.random.chance(0.2) ? 'run' : 'send')
  if ((await answered).outcome !== 'acknowledged') {
    const again = prompt(scene.world, tab, scene.session, task)
    await again.answered
    return { id: again.id, tab }
  }
  return { id, tab }
}

/** Until so many pieces of the answer to a new prompt have come. */
const replying = async (scene: Scene, task: Task, pieces: number | 'end'): Promise<void> => {
  const { id } = await asksFor(scene, task)
  if (!(await scene.world.model.seen(id, pieces, WAIT_MS))) scene.world.missed++
}
const talking = (scene: Scene, pieces: number): Promise<void> => replying(scene, 'talk', pieces)

const askedFor = async (scene: Scene, kind: 'question' | 'approval'): Promise<Arrived> => {
  const { world, session } = scene
  const { random } = world
  const { tab } = await asksFor(scene, kind === 'approval' ? 'code' : random.pick(['ask', 'both']))
  const callId = await tab.asked(session, kind, WAIT_MS)
  if (callId === undefined) world.missed++
  if (callId === undefined || random.chance(0.4)) return { pauseMs: random.below(30) }
  const by = anyTab(scene)
  if (kind === 'approval') {
    const decision = { kind: 'allow', reach: 'once' }
    void world.wish(by, { kind: 'decision', session, callId, given: decision }, 'people', 'decide', {
      sessionId: session,
      callId,
      decision,
    })
  } else {
    const answers = [{ id: 'q1', chosen: ['right'] }]
    void world.wish(by, { kind: 'answer', session, callId, given: answers }, 'people', 'answer', { sessionId: session, callId, answers })
  }
  return { pauseMs: random.below(60) }
}

/** The end of some turn that everybody was told of. */
const someEdge = ({ world, session }: Scene): number => {
  const edges = world.ledger
    .storedOf(session)
    .flatMap(({ type, seq }) => (type === 'turn/end' ? [seq + 1] : type === 'user/message' ? [seq] : []))
  return edges.length === 0 ? 0 : world.random.pick(edges)
}

const exported = async ({ world, session, files }: Scene, tab: Tab): Promise<ExportedFile | undefined> => {
  const reply = await tab.call('sessions', 'export', { sessionId: session })
  const listed = await tab.call('sessions', 'list', {})
  if (reply.kind !== 'done' || listed.kind !== 'done') return undefined
  const { file } = reply.value as { readonly file: string }
  const { createdAt } =
    (listed.value as readonly { readonly id: string; readonly createdAt: number }[]).find(({ id }) => id === session) ?? {}
  if (createdAt === undefined) return undefined
  const made = { session, createdAt, length: world.ledger.storedOf(session).length, file }
  files.push(made)
  return made
}

export type MomentName =
  | 'streaming'
  | 'tool call'
  | 'approval'
  | 'question'
  | 'steering'
  | 'queue'
  | 'stop'
  | 'rename'
  | 'compaction'
  | 'fork'
  | 'import'
  | 'export'
  | 'deletion'
  | 'takeover'
  | 'start'
  | 'creation'

export const MOMENTS: { readonly [N in MomentName]: Moment } = {
  async streaming(scene) {
    await talking(scene, 2 + scene.world.random.below(35))
    return { pauseMs: scene.world.random.below(15) }
  },
  async 'tool call'(scene) {
    const { random } = scene.world
    await replying(scene, random.pick(['write', 'write', 'shell']), 'end')
    return { pauseMs: random.below(90) }
  },
  approval: (scene) => askedFor(scene, 'approval'),
  question: (scene) => askedFor(scene, 'question'),
  async steering(scene) {
    const { world, session, tabs } = scene
    await talking(scene, 3)
    for (const tab of tabs) void prompt(world, tab, session, world.random.pick(['talk', 'write']), 'steer')
    return { pauseMs: world.random.below(60) }
  },
  async queue(scene) {
    const { world, session } = scene
    await talking(scene, 2)
    const queued = await Promise.all(
      [1, 2, 3].map(async () => {
        const { id, answered } = prompt(world, anyTab(scene), session, 'talk')
        await answered
        return id
      }),
    )
    const [first = '', second = '', third = ''] = queued
    void edit(world, anyTab(scene), session, first)
    void remove(world, anyTab(scene), session, second)
    void anyTab(scene)
      .call('queue', 'move', { sessionId: session, messageId: third, before: first })
      .catch(() => {})
    void anyTab(scene)
      .call('queue', 'retarget', { sessionId: session, messageId: third, target: 'step' })
      .catch(() => {})
    return { pauseMs: world.random.below(50) }
  },
  async stop(scene) {
    const { world, session } = scene
    await talking(scene, 2 + world.random.below(20))
    void prompt(world, anyTab(scene), session, 'talk')
    void cancel(world, anyTab(scene), session, world.random.chance(0.7) ? 'hold' : 'clear')
    return { pauseMs: world.random.below(50) }
  },
  async rename(scene) {
    const { world, session } = scene
    await talking(scene, 2)
    for (const tab of scene.tabs) void rename(world, tab, session)
    return { pauseMs: world.random.below(40) }
  },
  async compaction(scene) {
    const { world, session } = scene
    const tab = anyTab(scene)
    const bulk = prompt(world, tab, session, 'bulk')
    await bulk.answered
    await world.model.seen(bulk.id, 'end', WAIT_MS)
    await prompt(world, tab, session, 'bulk').answered
    const summary = world.model.seen('summary', 1 + world.random.below(18), WAIT_MS)
    const compacted = tab.call('drive', 'compact', { sessionId: session }).catch(() => undefined)
    if ((await Promise.race([summary, compacted])) !== true) world.missed++
    return { pauseMs: world.random.below(15) }
  },
  async fork(scene) {
    const { world, session } = scene
    const asker = anyTab(scene)
    if (world.random.chance(0.5)) await talking(scene, 3)
    for (let n = 0; n < 3; n++) {
      const length = someEdge(scene)
      void world.wish(asker, { kind: 'fork', session, length }, 'sessions', 'fork', { sessionId: session, beforeSeq: length })
    }
    return { asker, pauseMs: world.random.below(120) }
  },
  async import(scene) {
    const { world, session, files } = scene
    const asker = anyTab(scene)
    const from = files.find((file) => file.session === session) ?? files.at(-1)
    if (from === undefined) {
      world.missed++
      return { asker, pauseMs: 0 }
    }
    for (let n = 0; n < 2; n++) {
      const wish = { kind: 'import', session: from.session, length: from.length } as const
      void world.wish(asker, wish, 'sessions', 'import', { file: from.file })
    }
    return { asker, pauseMs: world.random.below(250) }
  },
  async export(scene) {
    const { world, session } = scene
    const asker = anyTab(scene)
    await talking(scene, 2)
    const all = world.random.chance(0.5)
    void asker.call('sessions', all ? 'exportAll' : 'export', all ? {} : { sessionId: session }).catch(() => {}) // nothing comes of it
    return { asker, pauseMs: world.random.below(60) }
  },
  async deletion(scene) {
    const { world, copies } = scene
    const asker = anyTab(scene)
    const gone = new Set(world.ledger.of('deletion').map(({ wish }) => wish.session))
    for (const copy of copies.filter((id) => !gone.has(id)).slice(0, 4)) {
      void world.wish(asker, { kind: 'deletion', session: copy }, 'sessions', 'remove', { sessionId: copy })
    }
    return { asker, pauseMs: world.random.below(60) }
  },
  async takeover(scene) {
    const { world, session, tabs } = scene
    await talking(scene, 2 + world.random.below(20))
    const asker = world.random.pick(tabs.filter((tab) => !tab.drives(session)).concat(tabs.slice(-1)))
    void asker.call('tabs', 'takeOver', { sessionId: session }).catch(() => {})
    return world.random.chance(0.5) ? { asker, pauseMs: world.random.below(80) } : { pauseMs: world.random.below(80) }
  },
  async start(scene) {
    const { world } = scene
    await talking(scene, 2)
    const { tab } = await world.beginTab()
    return { asker: tab, pauseMs: world.random.below(900) }
  },
  async creation(scene) {
    const { world } = scene
    const asker = anyTab(scene)
    for (let n = 0; n < 2; n++) {
      const title = world.newId('made')
      void world.wish(asker, { kind: 'creation', title }, 'sessions', 'create', { title })
    }
    return { asker, pauseMs: world.random.below(60) }
  },
}

/** When nothing is going on: what a session is exported for. */
export const exportAtRest = (scene: Scene, tab: Tab): Promise<ExportedFile | undefined> => exported(scene, tab)
