// The worker's file of transformers.js. It may compile WebAssembly, and reaches nothing but its own site.
import { type EnginePort, serveEngine } from '../serve-engine.ts'

const scope: EnginePort = self
serveEngine(scope, async () => (await import('./run-transformers.ts')).transformersInWorker())
