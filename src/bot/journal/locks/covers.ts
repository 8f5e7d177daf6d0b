import type { Address, Coin } from '../../../core/token.ts'
import type { Lock } from '../../lock.ts'

/** Whose act it is; what is not known of it yet is not held against it. */
export type LockSubject = {
  readonly wallet: Address
  readonly strategy?: string
  /** Symbols. */
  readonly pair?: { readonly sell: string; readonly buy: string }
}

/**
 * Whether a lock concerns a subject. The one rule, for the guard that stops a swap and for the explanation of what
 * stopped it. With the `coin`, a lock of a pair holds for both of its names; without it, for the name it states.
 */
export function covers(
  { scope }: Pick<Lock, 'scope'>,
  { wallet, strategy, pair }: LockSubject,
  coin: Coin | undefined,
): boolean {
  const [what, name = ''] = scope.split(' ')
  switch (what) {
    case 'all':
      return true
    case 'wallet':
      return name.toLowerCase() === wallet.toLowerCase()
    case 'strategy':
      return name === strategy
    case 'pair': {
      if (pair === undefined) return false
      const asset = (symbol: string) =>
        symbol === coin?.native.symbol ? coin.wrapped.symbol : symbol
      const named = name.split('/').map(asset).join('/')
      const [sell, buy] = [asset(pair.sell), asset(pair.buy)]
      return named === `${sell}/${buy}` || named === `${buy}/${sell}`
    }
    default:
      // A scope this version does not know was written by a newer one: it holds.
      return true
  }
}
