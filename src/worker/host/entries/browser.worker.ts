// The application's agent worker.
import { serve } from '../serve.ts'

serve()
