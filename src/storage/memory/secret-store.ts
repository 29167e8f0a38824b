// Secrets over a Map: they are gone with the worker, so nothing is at rest that had to be encrypted.
import type { SecretStore } from '../secret-store.ts'

export const memorySecretStore = (): SecretStore => {
  const secrets = new Map<string, string>()
  return {
    async set(name, value) {
      secrets.set(name, value)
    },
    async get(name) {
      return secrets.get(name)
    },
    async names() {
      return Object.freeze([...secrets.keys()].sort())
    },
    async remove(name) {
      secrets.delete(name)
    },
  }
}
