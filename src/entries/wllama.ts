// What `import … from 'sideloop/wllama'` gives: the engine for GGUF weights. It needs the package `@wllama/wllama` beside it.
export { type WllamaOptions, wllama } from '../worker/capabilities/local-models/wllama/wllama.ts'
