// The port for large files that are read and never changed: the weights of models, kept whole or in part.

/** `size` in bytes. */
export type KeptWeights = { readonly name: string; readonly size: number }

export interface Weights {
  list(): Promise<readonly KeptWeights[]>
  /** What is there, also of a file that is not whole. The bytes stay where they are until somebody reads them. */
  read(name: string): Promise<Blob | undefined>
  /** One writer at a time. Errors: `storage/conflict` while there is another, in this tab or another one; `storage/unavailable`. */
  write(name: string): Promise<WeightsWriter>
  /** Nothing is wrong when it is not there. Errors: `storage/conflict` while it is written. */
  remove(name: string): Promise<void>
}

export interface WeightsWriter {
  readonly size: number
  /** Errors: `storage/quota`; what was there before stays. */
  append(bytes: Uint8Array): void
  /** From nothing again. */
  restart(): void
  /** Puts it on disk. The next writer goes on where this one ended. */
  close(): void
}
