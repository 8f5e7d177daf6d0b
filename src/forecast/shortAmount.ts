import type { AmountText } from '../core/amount.ts'

/** `0.199203… WETH`: cut, never rounded, so that nothing looks like more than it is. The whole is in --json. */
export function shortAmount({ text, token }: AmountText): string {
  const [whole = '', fraction = ''] = text.split('.')
  if (fraction === '') return `${text} ${token}`
  const zeros = /^0*/.exec(fraction)?.[0].length ?? 0
  const kept = whole === '0' ? zeros + 4 : whole.length > 4 ? 2 : 6 - whole.length
  const cut = fraction.slice(0, kept)
  return `${whole}.${cut}${fraction.length > kept ? '…' : ''} ${token}`
}
