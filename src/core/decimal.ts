import { asWritten } from './display.ts'
import { ballastError } from './errors.ts'

const plainDecimal = /^(?:0|[1-9]\d{0,77})(?:\.(\d+))?$/

/**
 * Reads decimal text as an integer of 10^-scale units, exactly.
 *
 * Refuses signs, exponents, spaces and any digit beyond the scale: viem's `parseUnits` would round it up, and rounding
 * another's money is not reading it.
 */
export function parseDecimal(text: string, scale: number): bigint {
  const match = plainDecimal.exec(text)
  if (match === null)
    throw ballastError('NOT_A_DECIMAL', `${asWritten(text)} is not a plain decimal number.`, {
      expected: 'digits with at most one dot, such as 250.5',
    })
  const fraction = match[1] ?? ''
  if (fraction.length > scale)
    throw ballastError(
      'TOO_MANY_DECIMALS',
      `${text.slice(0, 96)} has more than ${scale} decimals.`,
      { decimals: fraction.length, allowed: scale },
    )
  const whole = text.split('.')[0] ?? '0'
  return BigInt(whole + fraction.padEnd(scale, '0'))
}

/**
 * `3.500`, which is three and a half or three and a half thousand, by where its writer lives. Of what this program prints
 * nothing ends so.
 */
export const isTwofold = (decimal: string): boolean => /^[1-9]\d{0,2}\.\d\d0$/.test(decimal)

/** Why such a number is refused, with both of its readings; `behind` is what follows it. */
export function twofoldText(decimal: string, behind = ''): string {
  const [thousands, fraction] = [decimal.replace('.', ''), decimal.replace(/\.?0+$/, '')]
  return `'${decimal}${behind}' may be meant as thousands: write '${thousands}${behind}' or '${fraction}${behind}'.`
}

/** Prints an integer of 10^-scale units as the shortest decimal text. The inverse of {@link parseDecimal}. */
export function formatDecimal(units: bigint, scale: number): string {
  const sign = units < 0n ? '-' : ''
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '')
  return sign + (fraction === '' ? whole : `${whole}.${fraction}`)
}

/** Divides and rounds up, of numbers that are not negative: as a minimum it favours whom it protects. */
export const divideUp = (numerator: bigint, denominator: bigint): bigint =>
  (numerator + denominator - 1n) / denominator
