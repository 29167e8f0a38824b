// The application's agent worker.
import { serve } from '../serve.ts'

serve({ localModels: { engine: async () => (await import('../../capabilities/local-models/wllama/wllama.ts')).wllama() } })
