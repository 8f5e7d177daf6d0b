import type { Address } from '../../core/token.ts'

type Wallet = {
  readonly address: Address
  /** Swaps under way. */
  readonly open: number
}

/**
 * Whether locks keep a whole wallet untraded, as whoever opened them knows: a halt, or a drain when what had begun is
 * finished. The process that began it may be gone: somebody must follow it. Of one strategy, or pair, they say nothing.
 */
export function holdsWallet(
  locks: readonly { readonly kind: string; readonly scope: string }[],
  { address, open }: Wallet,
): boolean {
  const scopes = ['all', `wallet ${address.toLowerCase()}`]
  return locks.some(
    ({ kind, scope }) =>
      scopes.includes(scope) && (kind === 'halt' || (kind === 'drain' && open === 0)),
  )
}
