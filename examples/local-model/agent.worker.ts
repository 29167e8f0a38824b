// The agent, with an engine for models in the tab and the one model that this application offers: a file beside the page.

import { wllama } from 'sideloop/wllama'
import { serve } from 'sideloop/worker'

serve({
  localModels: {
    engines: { gguf: async () => wllama() },
    offered: [{ id: 'mine', label: 'My model', url: new URL('/model.gguf', self.location.origin).href }],
  },
})
