// Sizes as people write them.

export const byteSize = (bytes: number): string => {
  if (bytes < 1_000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} KB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`
