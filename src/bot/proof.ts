import type { Play } from '../chain/calls/simulate.ts'
import { simulateByProbe } from '../chain/calls/simulateByProbe.ts'
import { type Amount, show } from '../core/amount.ts'
import type { Token } from '../core/token.ts'

/**
 * What can be missing where a swap is seen before it is signed, in the order of a name.
 *
 * - `probed`: a contract in one `eth_call` plays it. To tokens the wallet looks like a contract meanwhile, and gas is an
 * estimate. - `untraced`: what it writes into its tokens is not seen. - `unwitnessed`: one node says all of it.
 */
const gaps = ['probed', 'untraced', 'unwitnessed'] as const
type Gap = (typeof gaps)[number]

/** How much of a swap is seen before it is signed: `full`, or what is missing, as in `probed-untraced`. */
export type Proof = string

/** The most that a swap may be worth with each of them, as policy says it. */
export type ProofCaps = { readonly [gap in Gap]?: Amount | undefined }

/** What there is to see a swap with. */
export type Means = {
  readonly play: Play
  /** Undefined where nothing is traced. */
  readonly untraced: readonly Token[] | undefined
  readonly witness: { readonly above: Amount } | undefined
}

type Valued = { readonly notional: Amount | undefined }

/** The degree of proof that a swap of this worth is signed with. */
export function proofOf(swap: Valued, { play, untraced, witness }: Means): Proof {
  const missing: Readonly<Record<Gap, boolean>> = {
    probed: play === simulateByProbe,
    untraced: untraced === undefined,
    unwitnessed: witness === undefined || !isLarge(swap, witness.above),
  }
  return gaps.filter((gap) => missing[gap]).join('-') || 'full'
}

/** The degrees that swaps get by these means: with a witness, what is worth less than it is asked about has its own. */
export function degreesOf(means: Means): readonly { readonly proof: Proof; readonly of: string }[] {
  const { witness } = means
  const alone = proofOf({ notional: undefined }, { ...means, witness: undefined })
  if (witness === undefined) return [{ proof: alone, of: 'a swap' }]
  const { above } = witness
  return [
    { proof: alone, of: `a swap below ${show(above)}` },
    { proof: proofOf({ notional: above }, means), of: `a swap from ${show(above)} on` },
  ]
}

/** A worth that is unknown, or counted in another unit, may be any: it is witnessed. */
export function isLarge({ notional }: Valued, above: Amount): boolean {
  return !isSameUnit(notional, above) || notional.wei >= above.wei
}

/** Where policy says nothing: the share of the most that one swap may be worth. */
const shares: Readonly<Record<Gap, bigint>> = { probed: 2n, untraced: 10n, unwitnessed: 1n }

/** The most that a swap may be worth with this proof: the least of what its gaps allow. Undefined with full proof. */
export function capOf(
  proof: Proof,
  {
    proof: caps,
    notional: { perSwap },
  }: { readonly proof: ProofCaps; readonly notional: { readonly perSwap: Amount } },
): Amount | undefined {
  const parts = proof.split('-')
  return gaps
    .filter((gap) => parts.includes(gap))
    .map((gap) => caps[gap] ?? { ...perSwap, wei: perSwap.wei / shares[gap] })
    .reduce<Amount | undefined>(
      (least, one) => (least === undefined || one.wei < least.wei ? one : least),
      undefined,
    )
}

/** Whether it is known to be worth no more. */
export const fitsCap = ({ notional }: Valued, cap: Amount): boolean =>
  isSameUnit(notional, cap) && notional.wei <= cap.wei

function isSameUnit(notional: Amount | undefined, { token }: Amount): notional is Amount {
  return (
    notional !== undefined &&
    notional.token.symbol === token.symbol &&
    notional.token.decimals === token.decimals
  )
}
