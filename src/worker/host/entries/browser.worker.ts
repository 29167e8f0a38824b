// The application's agent worker.
import { serve } from '../serve.ts'

serve({ localModels: { engines: { gguf: async () => (await import('../../capabilities/local-models/wllama/wllama.ts')).wllama() } } })
