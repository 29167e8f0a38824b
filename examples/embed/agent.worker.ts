// The agent: runs in a worker of its own, with one tool that this application brings.
import { defineTool, serve } from 'sideloop/worker'

serve({
  tools: [
    defineTool({
      name: 'order_status',
      description: 'Tells where an order is.',
      parameters: { order: { type: 'string', required: true, description: 'The number on the receipt.' } },
      execute: ({ order }) => `Order ${order} left the warehouse this morning.`,
    }),
  ],
  // Without `models` the offline demo model answers. A server of your own (import openaiChat from 'sideloop/worker' too):
  // models: [{ provider: 'local', label: 'Local', models: ['my-model'], adapter: openaiChat({ baseUrl: 'http://localhost:1234/v1' }) }],
})
