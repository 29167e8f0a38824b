// Keys that mean something, told from keys that an input method is using.

/** `WebKit` ends a composition before the Enter that confirms it, and tells by the key code 229 alone. */
export const isComposing = (event: KeyboardEvent): boolean => event.isComposing || event.keyCode === 229

/** Enter by itself: it sends, saves or accepts. Every handler of Enter asks here. */
export const isPlainEnter = (event: KeyboardEvent): boolean =>
  event.key === 'Enter' && !isComposing(event) && !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey

export const isControlEnter = (event: KeyboardEvent): boolean =>
  event.key === 'Enter' && !isComposing(event) && !event.shiftKey && !event.altKey && (event.ctrlKey || event.metaKey)

export const isEscape = (event: KeyboardEvent): boolean => event.key === 'Escape' && !isComposing(event)

export const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

/** Ctrl+K, or Cmd+K on a Mac, where Ctrl+K cuts the rest of a line. */
export const isSearchKey = (event: KeyboardEvent): boolean =>
  event.key.toLowerCase() === 'k' &&
  (isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey) &&
  !event.shiftKey &&
  !event.altKey
