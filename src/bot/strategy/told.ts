/**
 * An editor's description of a kind of field, in the words of JSON Schema. A template is filled with the first example,
 * and a refusal suggests it.
 */
export type Told = {
  readonly description: string
  readonly examples: readonly string[]
} & Readonly<Record<string, unknown>>

/** Of the fields without a text of their own. */
export const told = {
  amount: {
    description: 'An amount and its token.',
    examples: ['1 WETH'],
    pattern: String.raw`^\d+(\.\d+)? [^\s\d]\S{0,31}$`,
  },
  amounts: {
    description: 'Amounts of several tokens, with commas between.',
    examples: ['5 WETH, 1000 USDC'],
  },
  token: { description: 'A token, as tokens lists it.', examples: ['USDC'] },
  pairs: { description: 'Pairs of tokens, with commas between.', examples: ['WETH/USDC'] },
  price: {
    description: 'A price: what one unit brings.',
    examples: ['2950 USDC'],
    pattern: String.raw`^\d+(\.\d+)? [^\s\d]\S*( per [^\s\d]\S*)?$`,
  },
  seconds: {
    description: 'A duration of whole seconds.',
    examples: ['1h'],
    pattern: String.raw`^\d{1,12} ?(ms|s|m|h|d)$`,
  },
  bps: {
    description: 'A share in basis points: 1 bps is 0.01 %.',
    examples: ['25 bps'],
    pattern: String.raw`^\d{1,9} ?bps$`,
  },
  share: {
    description: 'A share of the whole.',
    examples: ['10 %'],
    pattern: String.raw`^\d{1,3}(\.\d{1,2})? ?%$|^\d{1,9} ?bps$`,
  },
  count: {
    type: ['integer', 'string'],
    description: 'A whole number, at least one.',
    examples: ['3'],
    pattern: String.raw`^[1-9]\d{0,8}$`,
  },
  factor: {
    type: ['number', 'string'],
    description: 'A plain number of at most four decimals.',
    examples: ['1.5'],
    pattern: String.raw`^\d{1,12}(\.\d{1,4})?$`,
  },
  instant: {
    description: 'A day, from midnight UTC, or an instant with its offset.',
    examples: ['2026-12-31'],
    pattern: String.raw`^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2}))?$`,
  },
  missed: {
    description: 'What becomes of missed slots: skip, once, or up to a number of them.',
    examples: ['skip'],
    pattern: String.raw`^(skip|once|up to [1-9]\d?)$`,
  },
  votes: {
    description: 'So many of the last so many.',
    examples: ['2 of 3'],
    pattern: String.raw`^\d{1,2} of \d{1,2}$`,
  },
  cron: {
    description: 'Minute, hour, day of month, month and day of week.',
    examples: ['0 9 * * *'],
    pattern: String.raw`^\s*(\S+\s+){4}\S+\s*$`,
  },
  timeZone: { description: 'A time zone by its IANA name.', examples: ['Europe/Berlin'] },
} as const satisfies Readonly<Record<string, Told>>
