// Rows that lists on the page show.

/** `size` in bytes, `modifiedAt` in epoch milliseconds; `version` rises by one with each write. */
export type FileView = { readonly path: string; readonly size: number; readonly version: number; readonly modifiedAt: number }
