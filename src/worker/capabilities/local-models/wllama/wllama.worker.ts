// The worker's file of llama.cpp. It may compile WebAssembly and start the library's own worker, and reaches nothing but its own site.
import { type EnginePort, serveEngine } from '../serve-engine.ts'

const scope: EnginePort = self
serveEngine(scope, async () => (await import('./run-wllama.ts')).wllamaInWorker())
