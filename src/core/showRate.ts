const digits = new Intl.NumberFormat('en', { maximumSignificantDigits: 7, useGrouping: false })

/** A rate for a person, in seven digits, which are more than it means; never in the notation of `1e-7`. */
export const showRate = (rate: number): string => digits.format(rate)
