// A server's list of models, in the forms that servers give it.
import { modelCallError } from '../model-call-error.ts'

export type ListedModel = { readonly id: string; readonly name?: string }

/** `{data: [{id}]}` as OpenAI and Anthropic have it, `{models: [{name}]}` or a bare list as others do. What is none of these is an error. */
export const readModels = (answer: unknown): readonly ListedModel[] => {
  const list = Array.isArray(answer) ? answer : isObject(answer) ? (answer.data ?? answer.models) : undefined
  if (!Array.isArray(list)) {
    throw modelCallError({
      class: 'protocol',
      transient: false,
      message: 'The server has no list of models at this address. Check the base URL, or type the name of the model.',
    })
  }
  return list.flatMap((entry): readonly ListedModel[] => {
    if (typeof entry === 'string') return [{ id: entry }]
    if (!isObject(entry)) return []
    const id = entry.id ?? entry.name ?? entry.model
    if (typeof id !== 'string' || id === '') return []
    const name = entry.display_name ?? entry.name
    return [{ id, ...(typeof name === 'string' && name !== id ? { name } : {}) }]
  })
}
const isObject = (value: unknown): value is { readonly [key: string]: unknown } => typeof value === 'object' && value !== null
