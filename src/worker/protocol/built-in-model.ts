// What crosses the port between the worker and the page's built-in model. The worker asks by number, the page answers with that number.

/** Its name in `AgentOptions.provider`. */
export const BUILT_IN_PROVIDER = 'built-in'

export type BuiltInAsk =
  | { readonly kind: 'about'; readonly id: number }
  | {
      readonly kind: 'ask'
      readonly id: number
      readonly system?: string
      readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[]
      readonly temperature?: number
    }
  | { readonly kind: 'cancel'; readonly id: number }

export type BuiltInTell =
  | {
      readonly kind: 'about'
      readonly id: number
      readonly availability: 'unavailable' | 'downloadable' | 'downloading' | 'available'
    }
  /** Of the download, from 0 to 1. */
  | { readonly kind: 'progress'; readonly id: number; readonly loaded: number }
  | { readonly kind: 'chunk'; readonly id: number; readonly text: string }
  /** In tokens, where the browser counts them: what was in use before the reply and after it, and how much there is. */
  | {
      readonly kind: 'end'
      readonly id: number
      readonly usage?: { readonly before: number; readonly after: number }
      readonly contextWindow?: number
    }
  /** `name` as the browser gave it, such as `QuotaExceededError`. */
  | { readonly kind: 'failed'; readonly id: number; readonly name: string; readonly message: string }
