import type { AmountText } from '../core/amount.ts'

/** Decimals of a figure in a sentence, and digits that are shown at least where it is smaller. */
const decimals = 6
const significant = 4

/** An amount in a sentence, cut and never rounded up: `0.166812 WETH`. The exact one is under `--json`. */
export function inBrief({ token, text }: Pick<AmountText, 'token' | 'text'>): string {
  const [whole = '0', fraction = ''] = text.split('.')
  const zeros = /^0*/.exec(fraction)?.[0].length ?? 0
  const small = /^-?0$/.test(whole)
  const shown = fraction.slice(0, small ? Math.max(decimals, zeros + significant) : decimals)
  const kept = shown.replace(/0+$/, '')
  return `${kept === '' ? whole : `${whole}.${kept}`} ${token}`
}
