// What is known of a provider's model, from three places: the catalogue, over it what the server said, over that the application's word.
import type { ListedModel, ModelInfo } from '../../../storage/log/model-info.ts'
import { lookUpModel } from '../../llm/catalogue.ts'

export type FactsAbout = { readonly baseUrl: string; readonly facts?: readonly ListedModel[] }
/** Field by field: who says nothing of one leaves it to the next. `undefined` when nobody says anything. */
export type ModelFacts = (provider: FactsAbout, model: string) => ModelInfo | undefined

/** What an application knows of models by name, for all providers. */
export type Catalogue = Readonly<Record<string, ModelInfo>>

export const modelFacts =
  (catalogue: Catalogue = {}): ModelFacts =>
  ({ baseUrl, facts }, model) => {
    const known = lookUpModel(model, new URL(baseUrl).hostname)
    const said = facts?.find(({ id }) => id === model)?.info
    const given = Object.hasOwn(catalogue, model) ? catalogue[model] : undefined
    return known === undefined && said === undefined && given === undefined ? undefined : { ...known, ...said, ...given }
  }
