// How much one command may carry: far above what a person types, far below what would hurt.

/** Characters of one block of text. */
export const MOST_CHARACTERS = 4_000_000
