type Bid = { readonly kind: string; readonly hash: string }

/** The transaction of a swap: of its bids and their cancellation the mined one, or the newest bid while none is; none on paper. */
export function swapHash(attempts: readonly Bid[], mined: string | undefined): string | undefined {
  const used = attempts.find(({ kind, hash }) => kind !== 'APPROVE' && hash === mined)
  return (used ?? attempts.findLast(({ kind }) => kind === 'SWAP'))?.hash
}
