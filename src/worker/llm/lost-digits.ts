// Tells where plain parsing of JSON is not safe, without parsing: a number in it may not come out as it was written.

/** Whether parsing may round a whole number or leave the range of numbers. False alarms are possible, misses are not. */
export const mayLoseDigits = (json: string): boolean => /(?:\d\.?){16}|\de[+-]?\d{3}/i.test(json)
