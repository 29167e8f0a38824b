// The project's types against the contract's (test/contract/api.d.ts): every name that is built has exactly that shape, or more of it.
import { expectTypeOf, test } from 'vitest'
import type * as content from '../../../src/storage/log/content.ts'
import type * as events from '../../../src/storage/log/events.ts'
import type * as call from '../../../src/storage/log/model-call.ts'
import type { SessionSummary } from '../../../src/storage/log/session-summary.ts'
import type { Waiting } from '../../../src/storage/log/waiting.ts'
import type * as agent from '../../../src/worker/hooks/agent.ts'
import type * as hooks from '../../../src/worker/hooks/hooks.ts'
import type * as llm from '../../../src/worker/hooks/llm.ts'
import type * as tool from '../../../src/worker/hooks/tool.ts'
import type * as scope from '../../../src/worker/loop/scope.ts'
import type { createRuntime } from '../../../src/worker/runtime.ts'
import type { ToolContext, ToolDefinition, ToolReturn } from '../../../src/worker/tools/tool.ts'
import type * as api from '../../contract/api.d.ts'

test('contract 1: content and messages', () => {
  expectTypeOf<content.ContentBlock>().toEqualTypeOf<api.ContentBlock>()
  expectTypeOf<content.Source>().toEqualTypeOf<api.Source>()
  expectTypeOf<content.Provenance>().toEqualTypeOf<api.Provenance>()
  expectTypeOf<content.Message>().toEqualTypeOf<api.Message>()
})

test('contract 1: model calls', () => {
  expectTypeOf<call.Usage>().toEqualTypeOf<api.Usage>()
  expectTypeOf<call.ModelFailure>().toEqualTypeOf<api.ModelFailure>()
  expectTypeOf<call.FinishReason>().toEqualTypeOf<api.FinishReason>()
  expectTypeOf<call.Chunk>().toEqualTypeOf<api.Chunk>()
  expectTypeOf<call.CallConfig>().toEqualTypeOf<api.CallConfig>()
  expectTypeOf<call.ToolSchema>().toEqualTypeOf<api.ToolSchema>()
})

test('contract 1: events, each with its data, and the header', () => {
  expectTypeOf<events.SessionEventData>().toEqualTypeOf<api.SessionEventData>()
  expectTypeOf<events.SurfaceType>().toEqualTypeOf<api.SurfaceType>()
  expectTypeOf<events.SessionHeader>().toEqualTypeOf<api.SessionHeader>()
  expectTypeOf<events.SessionEvent>().toExtend<api.SessionEvent>()
  expectTypeOf<api.SessionEvent>().toExtend<events.SessionEvent>()
})

test('contract 2: agent, inbox and session have at least the contract’s members', () => {
  expectTypeOf<agent.Session>().toExtend<api.Session>()
  expectTypeOf<agent.Inbox>().toExtend<api.Inbox>()
  expectTypeOf<agent.Agent>().toExtend<api.Agent>()
  expectTypeOf<Waiting>().toEqualTypeOf<api.Waiting>()
})

test('contract 2: the hook table has exactly those events', () => {
  expectTypeOf<keyof hooks.Hooks>().toEqualTypeOf<keyof api.Hooks>()
  expectTypeOf<hooks.PromptDecision>().toEqualTypeOf<api.PromptDecision>()
  expectTypeOf<hooks.Continuation>().toEqualTypeOf<api.Continuation>()
  expectTypeOf<hooks.PromptAssembly>().toEqualTypeOf<api.PromptAssembly>()
  expectTypeOf<tool.PreExecute>().toEqualTypeOf<api.PreExecute>()
  expectTypeOf<tool.PostExecute>().toEqualTypeOf<api.PostExecute>()
  expectTypeOf<tool.ToolOutcome>().toEqualTypeOf<api.ToolOutcome>()
  expectTypeOf<tool.HookContext>().toEqualTypeOf<api.HookContext>()
})

test('contract 2: models, tools and the runtime', () => {
  expectTypeOf<llm.LlmRequest>().toEqualTypeOf<api.LlmRequest>()
  expectTypeOf<llm.ModelInfo>().toEqualTypeOf<api.ModelInfo>()
  expectTypeOf<llm.LlmAdapter>().toExtend<api.LlmAdapter>()
  expectTypeOf<api.LlmAdapter>().toExtend<llm.LlmAdapter>()
  expectTypeOf<ToolContext>().toExtend<api.ToolContext>()
  expectTypeOf<ToolDefinition>().toExtend<api.ToolDefinition>()
  expectTypeOf<ToolReturn>().toEqualTypeOf<api.ToolReturn>()
  expectTypeOf<api.RuntimeOptions>().toExtend<scope.RuntimeOptions>()
  expectTypeOf<scope.Runtime>().toExtend<api.Runtime>()
  expectTypeOf<typeof createRuntime>().toExtend<typeof api.createRuntime>()
})

test('contract 7: the session summary', () => {
  expectTypeOf<SessionSummary>().toEqualTypeOf<api.SessionSummary>()
})
