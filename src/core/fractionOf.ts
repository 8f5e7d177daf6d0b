export type Fraction = { readonly numerator: bigint; readonly denominator: bigint }

/** A JSON number as the decimal it was written as: the shortest text that reads as the same double. Not negative. */
export function fractionOf(value: number): Fraction {
  const [digits = '0', exponent = '0'] = String(value).split('e')
  const [whole = '0', decimals = ''] = digits.split('.')
  const shift = Number(exponent) - decimals.length
  const units = BigInt(whole + decimals)
  return shift < 0
    ? { numerator: units, denominator: 10n ** BigInt(-shift) }
    : { numerator: units * 10n ** BigInt(shift), denominator: 1n }
}
