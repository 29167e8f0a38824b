// Marks that turn the direction of writing: they can make words beside them read as others, so names and links go without them.

/** Embeddings, overrides and isolates. The marks that only say a direction (LRM, RLM, ALM) turn nothing else and stay. */
const TURN_MARKS = /[\u202a-\u202e\u2066-\u2069]/g

export const withoutTurnMarks = (text: string): string => text.replace(TURN_MARKS, '')
