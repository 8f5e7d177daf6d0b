import type { Dossier } from '../dossier.ts'
import { parityOf } from './parityOf.ts'

/** What was predicted before a signature against what came of it, over live swaps. */
export type ParityTotal = {
  /** Settled swaps that could be compared. */
  readonly swaps: number
  /** Received exactly, to the wei, what the simulation said. */
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
      meanBps: mean(received),
      worstBps: received.length === 0 ? undefined : Math.min(...received),
      gasMeanBps: mean(gas),
    }),
  }
}

const mean = (values: readonly number[]) =>
  values.length === 0 ? undefined : values.reduce((sum, one) => sum + one, 0) / values.length
