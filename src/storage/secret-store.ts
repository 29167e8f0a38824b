// The port for provider keys: encrypted at rest, readable only where the agent runs.

export interface SecretStore {
  set(name: string, value: string): Promise<void>
  get(name: string): Promise<string | undefined>
  /** Names only; values never travel in lists. */
  names(): Promise<readonly string[]>
  remove(name: string): Promise<void>
}
