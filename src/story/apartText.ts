import { formatDecimal } from '../core/decimal.ts'
import { differencePpm, type Price } from '../core/price.ts'

/** `short by 0.063 % (6.3 bps)` */
export function apartText({ bps, percent, pays }: Apart): string {
  if (pays === 'same') return 'exactly met'
  const size = (text: string) => text.replace(/^-/, '')
  return `${pays === 'less' ? 'short by' : 'above by'} ${size(percent)} % (${size(bps)} bps)`
}

/** How far one price is from another, as `--json` has it. Below zero where it pays the seller less. */
export type Apart = {
  readonly bps: string
  readonly percent: string
  readonly pays: 'less' | 'same' | 'more'
}

/** Exact, and then cut to a hundredth of a basis point towards less. */
export function apart(price: Price, from: Price): Apart {
  const ppm = differencePpm(price, from)
  return {
    bps: formatDecimal(ppm, 2),
    percent: formatDecimal(ppm, 4),
    pays: ppm < 0n ? 'less' : ppm > 0n ? 'more' : 'same',
  }
}
