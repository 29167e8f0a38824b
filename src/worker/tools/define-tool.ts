// Defines a tool with the types of its arguments taken from its parameters.
import type { ToolContext, ToolDefinition, ToolReturn } from './tool.ts'

/**
 * The arguments of a tool: the output type of a Standard Schema (zod, zod/mini, …); for the short form, inferred property by
 * property; for a JSON Schema, a record.
 */
export type ArgsOf<P> = P extends { readonly '~standard': { readonly types?: { readonly output: infer Output } | undefined } }
  ? Output
  : P extends { readonly type: string }
    ? ArgsRecord
    : P extends Record<string, ShortProperty>
      ? ShortArgs<P>
      : ArgsRecord

// biome-ignore lint/suspicious/noExplicitAny: a JSON Schema says nothing to the compiler; the pipeline has checked the values
type ArgsRecord = { readonly [key: string]: any }

/** One property of the short form: JSON Schema but for `required`, which stands at the property itself. */
export type ShortProperty = {
  readonly type?: string | readonly string[]
  readonly required?: boolean | readonly string[]
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly items?: unknown
  readonly properties?: unknown
  readonly [keyword: string]: unknown
}

type ShortArgs<P> = Readable<
  { readonly [K in keyof P as P[K] extends { readonly required: true } ? K : never]: ValueOf<P[K]> } & {
    readonly [K in keyof P as P[K] extends { readonly required: true } ? never : K]?: ValueOf<P[K]>
  }
>
type Readable<T> = { [K in keyof T]: T[K] }
type ValueOf<P> = P extends { readonly enum: readonly (infer Value)[] }
  ? Value
  : P extends { readonly type: 'string' }
    ? string
    : P extends { readonly type: 'number' | 'integer' }
      ? number
      : P extends { readonly type: 'boolean' }
        ? boolean
        : P extends { readonly type: 'null' }
          ? null
          : P extends { readonly type: 'array'; readonly items: infer Item }
            ? readonly ValueOf<Item>[]
            : P extends { readonly type: 'array' }
              ? readonly unknown[]
              : P extends { readonly type: 'object'; readonly properties: infer Properties }
                ? ShortArgs<Properties>
                : P extends { readonly type: 'object' }
                  ? ArgsRecord
                  : unknown

/**
 * `parameters`: a zod or other Standard Schema that has a JSON Schema; a JSON Schema (told by a string `type`); or the short
 * form `{ text: { type: 'string', required: true, description, enum, items, properties } }`, where `{}` means no arguments.
 * What is wrong with them is said when the tool is registered.
 */
export const defineTool = <const P>(definition: {
  readonly name: string
  readonly description: string
  readonly parameters: P
  execute(args: ArgsOf<P>, context: ToolContext): ToolReturn | Promise<ToolReturn>
  isConcurrencySafe?(args: ArgsOf<P>): boolean
  /** Milliseconds; none by default. */
  readonly timeoutMs?: number
  readonly readOnly?: boolean
  readonly keepsWriteLimits?: boolean
  readonly polling?: boolean
}): ToolDefinition => definition
