// Snapshots of the file tree as a plugin: whenever the files changed, the log says what the whole tree was from then on (C1).
import type { BlobStore } from '../../../storage/blob-store.ts'
import type { FileStore } from '../../../storage/file-store.ts'
import { changedPaths, type FileTree, readFileTree, writeFileTree } from '../../../storage/file-tree.ts'
import type { SessionId } from '../../../storage/log/content.ts'
import { SideloopError } from '../../../storage/log/errors.ts'
import type { Agent, Session } from '../../hooks/agent.ts'
import { homeOf } from '../../hooks/agent-home.ts'
import type { Plugin } from '../../loop/scope.ts'

export type SnapshotsOptions = {
  readonly files: Pick<FileStore, 'list'>
  readonly blobs: Pick<BlobStore, 'put' | 'get' | 'claim'>
}

/** A file that is changed while the tree is read makes another reading necessary: so often, then it is left to the next time. */
const MOST_READINGS = 3

const newestTree = (session: Session): string | undefined => {
  const found = session.events.findLast(({ type }) => type === 'files/snapshot')
  return found?.type === 'files/snapshot' ? found.data.tree : undefined
}

const isInTurn = ({ events }: Session): boolean =>
  events.findLast(({ type }) => type === 'turn/start' || type === 'turn/end')?.type === 'turn/start'

/**
 * Trees are compared, so it does not matter who changed a file: before a message enters the log, so that a copy of the session from
 * right before it has the files that were there; after each step; and when a call that may have changed files was stopped. A file
 * system that fails is reported and keeps nobody from working: the next comparison makes up for it.
 */
export const snapshots =
  ({ files, blobs }: SnapshotsOptions): Plugin =>
  (scope) => {
    /** The tree of the newest snapshot, for sessions in memory. */
    const known = new Map<SessionId, FileTree>()
    const taking = new Map<SessionId, Promise<void>>()

    const lastTree = async (session: Session): Promise<FileTree> => {
      const tree = known.get(session.id)
      if (tree !== undefined) return tree
      const blob = newestTree(session)
      const bytes = blob && (await blobs.get(blob))
      return bytes === undefined || bytes === '' ? [] : readFileTree(bytes)
    }

    /** The present tree, each new content claimed so that it outlives its file. */
    const keepTree = async (id: SessionId, before: FileTree): Promise<FileTree> => {
      const claimed = new Set(before.map(({ blob }) => blob))
      for (let readings = 1; ; readings++) {
        const tree = await files.list(id, '/')
        const fresh = tree.map(({ blob }) => blob).filter((blob) => !claimed.has(blob))
        try {
          if (fresh.length > 0) await blobs.claim(fresh, id)
          return tree
        } catch (error) {
          const changedMeanwhile = error instanceof SideloopError && error.code === 'storage/lost'
          if (!changedMeanwhile || readings === MOST_READINGS) throw error
        }
      }
    }

    const take = async (session: Session): Promise<void> => {
      const before = await lastTree(session)
      const after = await keepTree(session.id, before)
      const changed = changedPaths(before, after)
      known.set(session.id, before)
      if (changed.length === 0) return
      const tree = await blobs.put(writeFileTree(after), session.id)
      // Meanwhile the turn may have been stopped, or the session closed.
      if (scope.sessions.get(session.id) !== session || !isInTurn(session)) return
      session.append('files/snapshot', { tree, changed })
      known.set(session.id, after)
    }

    /** One after another, so that each is compared with the one before it. */
    const compare = (agent: Agent): Promise<void> => {
      const { session } = agent
      const run = async (): Promise<void> => {
        try {
          await taking.get(session.id)
          await take(session)
        } catch (error) {
          homeOf(agent)?.report(error, 'files/snapshot')
        }
      }
      const mine = run().finally(() => {
        if (taking.get(session.id) === mine) taking.delete(session.id)
      })
      taking.set(session.id, mine)
      return mine
    }

    scope.on('agent/prompt-submit', async (agent, _content, _source, next) => {
      await compare(agent)
      return next()
    })
    scope.on('agent/turn-continuation', async (agent, _turn, _byDefault, next) => {
      await compare(agent)
      return next()
    })
    scope.on('tools/execute', async ({ agent, signal }, next) => {
      try {
        return await next()
      } finally {
        // No continuation is asked for behind a stop.
        if (agent !== undefined && signal.aborted) await compare(agent)
      }
    })
    scope.on('session/disposed', ({ id }) => void known.delete(id))
    return async () => {
      await Promise.all(taking.values())
    }
  }
