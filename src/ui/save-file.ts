// Gives a file to the person as a download.

/** A browser that was asked to save reads it in a moment of its own. In milliseconds. */
const READ_BY = 60_000

export const saveFileOn =
  (page: Document) =>
  (name: string, file: Blob): void => {
    const url = URL.createObjectURL(file)
    const link = page.createElement('a')
    link.href = url
    link.download = name
    link.click()
    setTimeout(() => URL.revokeObjectURL(url), READ_BY)
  }
