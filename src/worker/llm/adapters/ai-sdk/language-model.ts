// What the bridge needs of an AI SDK model, said structurally: the package itself is no dependency, of types neither.

export type SpecificationVersion = 'v2' | 'v3' | 'v4'

/** `LanguageModelV2`, `V3` and `V4` of `@ai-sdk/provider` are assignable; a test has the compiler check it. */
export interface AiSdkModel {
  readonly specificationVersion: SpecificationVersion
  readonly provider: string
  readonly modelId: string
  doStream(options: never): PromiseLike<{ readonly stream: ReadableStream<unknown> }>
}
