// What a worker tells its page by itself: that something changed, never what it is now. Who shows it looks again.

/**
 * `sessions`: which there are, or what the list shows of one. `data-loss`: the browser found its database damaged and began an empty one.
 * Every other word is the name of a setting that another tab has changed, such as `providers` or `chosen-model`.
 */
export type NewsFrame = { readonly about: string }
