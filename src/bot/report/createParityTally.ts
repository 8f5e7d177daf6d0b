import type { Dossier } from '../dossier.ts'
import type { QuoteEvidence, SwapRecord } from '../record.ts'
import { arithmeticMean } from './benchmarks.ts'

/** The prediction before a signature against the outcome, over live swaps. */
type ParityTotal = {
  /** Settled swaps that could be compared. */
  readonly swaps: number
  /** Received exactly the simulated amount, to the wei. */
  readonly exact: number
  /** Received against predicted, positive is more; for display. Undefined where none was compared. */
  readonly meanBps: number | undefined
  readonly worstBps: number | undefined
  /** The same of the gas that was used. */
  readonly gasMeanBps: number | undefined
}

/** Compares each settled swap with its own simulation, and adds up. */
export function createParityTally() {
  const [received, gas]: [number[], number[]] = [[], []]
  let exact = 0
  return {
    add({ state, moved, gasUsed, quote, attempts }: Dossier): void {
      const parity = parityOf(
        {
          state,
          txHash: attempts.findLast(({ kind }) => kind === 'SWAP')?.hash ?? null,
          sold: moved === undefined ? null : { wei: moved.sold.wei.toString() },
          received: moved === undefined ? null : { wei: moved.received.wei.toString() },
          gasUsed: gasUsed?.toString() ?? null,
        },
        quote && {
          simulation: {
            spent: { wei: quote.simulation.spent.wei.toString() },
            received: { wei: quote.simulation.received.wei.toString() },
            gas: quote.simulation.gas.toString(),
          },
        },
      )
      if (parity === undefined) return
      received.push(parity.received.differenceBps)
      gas.push(parity.gasUsed.differenceBps)
      if (parity.received.predicted === parity.received.realised) exact += 1
    },
    result: (): ParityTotal => ({
      swaps: received.length,
      exact,
      meanBps: arithmeticMean(received),
      worstBps: received.length === 0 ? undefined : Math.min(...received),
      gasMeanBps: arithmeticMean(gas),
    }),
  }
}

/** One figure as it was predicted before a signature, and as it came. */
type Compared = {
  readonly predicted: bigint
  readonly realised: bigint
  /** Of the prediction, to a hundredth; positive where more came than was predicted. For display. */
  readonly differenceBps: number
}

/** How a settled swap compares with its own simulation. Amounts in the smallest unit. */
type Parity = {
  readonly sold: Compared
  readonly received: Compared
  /** Of the swap's own transaction. */
  readonly gasUsed: Compared
}

/** The part of a `SwapRecord` that is compared, and of its `QuoteEvidence`. */
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
