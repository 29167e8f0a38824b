// How contexts enter the log: at once, or, where one would stand in the wrong place, a little later.
import type { HookContext } from '../hooks/tool.ts'
import type { Driver } from './driver.ts'

export const appendContext = ({ log }: Driver, { content, source, envelope, meta }: HookContext): void => {
  log.append(
    'context/message',
    { content, source, ...(envelope === undefined ? {} : { envelope }), ...(meta === undefined ? {} : { meta }) },
    { surfaceOp: 'append' },
  )
}

/** Into the open turn. */
export const addContext = (driver: Driver, context: HookContext): void => {
  if (driver.heldContexts === undefined) appendContext(driver, context)
  else driver.heldContexts.push(context)
}

/**
 * From here until `releaseContexts` they wait: while a batch of calls runs, so that every result stands right behind its call; and
 * from a repeated request to its first chunk, so that the log tells which contexts that request held.
 */
export const holdContexts = (driver: Driver): void => {
  driver.heldContexts ??= []
}

export const releaseContexts = (driver: Driver): void => {
  const contexts = driver.heldContexts ?? []
  driver.heldContexts = undefined
  for (const context of contexts) appendContext(driver, context)
}
