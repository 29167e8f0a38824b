// The worker of transformers.js, with its fetches told: modules run in their order, so the first one is there before the other.
import './told-fetches.ts'
import '../../../src/worker/capabilities/local-models/transformers/transformers.worker.ts'
