// The port for small settings: plain JSON by name. Secrets do not belong here.
import type { Json } from './log/content.ts'

export interface SettingsStore {
  get(name: string): Promise<Json | undefined>
  set(name: string, value: Json): Promise<void>
  remove(name: string): Promise<void>
}
