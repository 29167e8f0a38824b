// Which model a reply came from, as far as its private data is concerned: signatures and encrypted reasoning are read by the same family only.
import type { Provenance } from '../../storage/log/content.ts'

/** A dated name and its alias are one model: `gpt-5-2025-08-07` is `gpt-5`. */
export const modelFamily = (model: string): string =>
  model
    .toLowerCase()
    .replace(/(:\d+)$/, '')
    .replace(/([-@](20\d{2}-?\d{2}-?\d{2}|latest)|:latest)(-v\d+)?$/, '')

export const isSameFamily = (from: Pick<Provenance, 'provider' | 'model'>, to: { readonly provider: string; readonly model: string }) =>
  from.provider === to.provider && modelFamily(from.model) === modelFamily(to.model)
