// Models whose weights are in this browser, as the settings dialog and the model picker see them.

/**
 * `kept`: all of it is here. `loading`: into memory, with the part of the conversation that is read once an answer is under way.
 * `waiting`: for another model to finish. A download that was stopped or failed is `absent` again, with what came of it.
 */
export type LocalModelState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'downloading' }
  | { readonly kind: 'kept' }
  | { readonly kind: 'loading' }
  | { readonly kind: 'loaded' }
  | { readonly kind: 'reading'; readonly part: number }

export type LocalModelView = {
  /** Its name in `AgentOptions.model`, with the provider `LOCAL_PROVIDER`. */
  readonly id: string
  readonly label: string
  readonly detail?: string
  /** Where it comes from; absent for a file that a person gave. */
  readonly url?: string
  /** Of the whole model; absent as long as nobody knows. */
  readonly bytes?: number
  /** Of it that are here. */
  readonly here: number
  readonly state: LocalModelState
  /** Why its last download or load failed, in plain words. */
  readonly failure?: string
  /** A person added it: removing it forgets it, and does not only free its room. */
  readonly added: boolean
}

export const LOCAL_PROVIDER = 'local'

/** `url`: of a GGUF file; of a model in several parts that of the first, whose name ends in `-00001-of-0000N.gguf`. */
export type LocalModelSource = { readonly url: string } | { readonly file: Blob; readonly name: string }
