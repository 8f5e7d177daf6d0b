/** An exact fraction. The reference that quotes are compared with: it shares no code with the service. */
export type Rational = { readonly numerator: bigint; readonly denominator: bigint }

/** The exact value of the shortest decimal text of a JSON number, exponents included. */
export function exactly(value: number): Rational {
  const match = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value))
  if (match === null) throw new Error(`${value} is not a non-negative finite number`)
  const [, whole = '0', fraction = '', exponent = '0'] = match
  const digits = BigInt(whole + fraction)
  const scale = Number(exponent) - fraction.length
  return scale >= 0
    ? { numerator: digits * 10n ** BigInt(scale), denominator: 1n }
    : { numerator: digits, denominator: 10n ** BigInt(-scale) }
}

export const whole = (value: bigint): Rational => ({ numerator: value, denominator: 1n })

export const plus = (a: Rational, b: Rational): Rational => ({
  numerator: a.numerator * b.denominator + b.numerator * a.denominator,
  denominator: a.denominator * b.denominator,
})

export const minus = (a: Rational, b: Rational): Rational =>
  plus(a, { numerator: -b.numerator, denominator: b.denominator })

export const times = (a: Rational, b: Rational): Rational => ({
  numerator: a.numerator * b.numerator,
  denominator: a.denominator * b.denominator,
})

export const over = (a: Rational, b: Rational): Rational =>
  times(a, { numerator: b.denominator, denominator: b.numerator })

export const isLess = (a: Rational, b: Rational): boolean =>
  a.numerator * b.denominator < b.numerator * a.denominator

/** Rounds down; for what is not below zero. */
export const floor = ({ numerator, denominator }: Rational): bigint => numerator / denominator
