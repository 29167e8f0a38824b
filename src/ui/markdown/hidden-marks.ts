// Characters that nobody sees and that make what is around them read as something else: names, links and notices go without them.

/**
 * Control characters but line ends and tabs, separators of lines, and what turns the direction of writing: embeddings, overrides and
 * isolates. The marks that only say a direction (LRM, RLM, ALM) turn nothing else and stay.
 */
const HIDDEN_MARKS = /[^\P{Cc}\n\t]|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

export const withoutHiddenMarks = (text: string): string => text.replace(HIDDEN_MARKS, '')
