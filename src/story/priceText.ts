import { type Price, showPrice } from '../core/price.ts'

/** Decimals that are enough of any rate, and of one above one. */
const decimals = 18
const decimalsAboveOne = 6
const significant = 7

/** A rate in a sentence, cut and never rounded up: in the dearer direction of a pair most of its decimals are zeros. */
export function priceText(price: Price): string {
  const [number = '', ...unit] = showPrice(price, decimals).split(' ')
  const [whole = '0', fraction = ''] = number.split('.')
  const zeros = /^0*/.exec(fraction)?.[0].length ?? 0
  const kept = fraction.slice(0, whole === '0' ? zeros + significant : decimalsAboveOne)
  const shown = kept.replace(/0+$/, '')
  return [shown === '' ? whole : `${whole}.${shown}`, ...unit].join(' ')
}
