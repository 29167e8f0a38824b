// A failed model call as an error that carries its facts, as the hook `agent/request-error` wants it.
import { SideloopError } from '../../storage/log/errors.ts'
import type { ModelFailure } from '../../storage/log/model-call.ts'
import type { ModelCallError } from '../hooks/hooks.ts'

/** `code` is `model/failed`; route on `failure.class` and `failure.transient`. */
export const modelCallError = (failure: ModelFailure, cause?: unknown): SideloopError & ModelCallError =>
  Object.assign(new SideloopError('model/failed', failure.message, cause === undefined ? {} : { cause }), { failure })
