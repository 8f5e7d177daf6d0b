import type { AmountText } from '../core/amount.ts'
import { formatDecimal } from '../core/decimal.ts'
import { differencePpm, type Price, showPrice } from '../core/price.ts'

/** `short by 0.063 % (6.3 bps)` */
export function differenceText({ bps, percent, pays }: PriceDifference): string {
  if (pays === 'same') return 'exactly met'
  const size = (text: string) => text.replace(/^-/, '')
  return `${pays === 'less' ? 'short by' : 'above by'} ${size(percent)} % (${size(bps)} bps)`
}

/** How far one price is from another, as `--json` has it. Below zero where it pays the seller less. */
export type PriceDifference = {
  readonly bps: string
  readonly percent: string
  readonly pays: 'less' | 'same' | 'more'
}

/** Exact, and then cut to a hundredth of a basis point towards less. */
export function differenceOf(price: Price, from: Price): PriceDifference {
  const ppm = differencePpm(price, from)
  return {
    bps: formatDecimal(ppm, 2),
    percent: formatDecimal(ppm, 4),
    pays: ppm < 0n ? 'less' : ppm > 0n ? 'more' : 'same',
  }
}

/** Decimals that are enough of any rate, and of one above one. */
const rateDecimals = 18
const decimalsAboveOne = 6
const rateDigits = 7

/** A rate in a sentence, cut and never rounded up: in the dearer direction of a pair most of its decimals are zeros. */
export function priceText(price: Price): string {
  const [number = '', ...unit] = showPrice(price, rateDecimals).split(' ')
  const [whole = '0', fraction = ''] = number.split('.')
  const zeros = /^0*/.exec(fraction)?.[0].length ?? 0
  const kept = fraction.slice(0, whole === '0' ? zeros + rateDigits : decimalsAboveOne)
  const shown = kept.replace(/0+$/, '')
  return [shown === '' ? whole : `${whole}.${shown}`, ...unit].join(' ')
}

/** Decimals of a figure in a sentence, and digits that are shown at least where it is smaller. */
const decimals = 6
const significant = 4

/** An amount in a sentence, cut and never rounded up: `0.166812 WETH`. The exact one is under `--json`. */
export function briefAmount({ token, text }: Pick<AmountText, 'token' | 'text'>): string {
  const [whole = '0', fraction = ''] = text.split('.')
  const zeros = /^0*/.exec(fraction)?.[0].length ?? 0
  const small = /^-?0$/.test(whole)
  const shown = fraction.slice(0, small ? Math.max(decimals, zeros + significant) : decimals)
  const kept = shown.replace(/0+$/, '')
  return `${kept === '' ? whole : `${whole}.${kept}`} ${token}`
}
