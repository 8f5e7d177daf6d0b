import type { QuoteEvidence, SwapRecord } from '../record.ts'

/** One figure as it was predicted before a signature, and as it came. */
export type Compared = {
  readonly predicted: bigint
  readonly realised: bigint
  /** Of the prediction, to a hundredth; positive where more came than was predicted. For display. */
  readonly differenceBps: number
}

/** How a settled swap compares with its own simulation. Amounts in the smallest unit. */
export type Parity = {
  readonly sold: Compared
  readonly received: Compared
  /** Of the swap's own transaction. */
  readonly gasUsed: Compared
}

/** The part of a `SwapRecord` that is compared, and of its `Evidence`. */
type Settled = Pick<SwapRecord, 'state' | 'txHash' | 'gasUsed'> & {
  readonly sold: Wei | null
  readonly received: Wei | null
}
type Promised = Pick<QuoteEvidence, 'simulation'>
type Wei = { readonly wei: string }

/**
 * Compares what a live swap was signed on with what it moved. Undefined where there is nothing to compare: a swap that did
 * not settle, that has no evidence, or that was booked on paper, where the prediction is the fill.
 */
export function parityOf(
  { state, txHash, sold, received, gasUsed }: Settled,
  evidence: Promised | undefined,
): Parity | undefined {
  if (state !== 'SETTLED' || txHash === null || evidence === undefined) return undefined
  if (sold === null || received === null || gasUsed === null) return undefined
  const { simulation } = evidence
  return {
    sold: compared(simulation.spent.wei, sold.wei),
    received: compared(simulation.received.wei, received.wei),
    gasUsed: compared(simulation.gas, gasUsed),
  }
}

/** Rounds towards zero, to a hundredth of a basis point. */
function compared(before: string, after: string): Compared {
  const [predicted, realised] = [BigInt(before), BigInt(after)]
  const parts = predicted === 0n ? 0n : ((realised - predicted) * 1_000_000n) / predicted
  return { predicted, realised, differenceBps: Number(parts) / 100 }
}
