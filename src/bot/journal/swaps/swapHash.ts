type Bid = { readonly kind: string; readonly hash: string }

/** The transaction of a swap: of bids that outbid each other the mined one, or the newest while none is; none on paper. */
export function swapHash(attempts: readonly Bid[], mined: string | undefined): string | undefined {
  const bids = attempts.filter(({ kind }) => kind === 'SWAP')
  return (bids.find(({ hash }) => hash === mined) ?? bids.at(-1))?.hash
}
