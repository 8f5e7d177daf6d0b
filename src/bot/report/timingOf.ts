import type { Dossier } from '../dossier.ts'

/** How long things took, as this machine saw it; undefined where it did not get that far or was not written down. */
export type Timing = {
  /** From the quote's arrival to the signature being durable. */
  readonly quoteAgeMs: number | undefined
  /** From the network taking it to a block with it being seen: at most a poll later than the block. */
  readonly inclusionMs: number | undefined
  /** From the head it was sent at to its block. */
  readonly inclusionBlocks: number | undefined
  /** What was left of the deadline when the block was seen. */
  readonly leftSeconds: number | undefined
}

export function timingOf({ quote, signedAt, events, attempts, block }: Dossier): Timing {
  const sent = events.find(({ type }) => type === 'SENT')
  // A reorganisation may take it out and another block bring it back: the last one is the one that held.
  const included = events.findLast(({ type }) => type === 'INCLUDED')
  const sentAtBlock = attempts.find(({ kind }) => kind === 'SWAP')?.sentAtBlock
  return {
    quoteAgeMs:
      quote?.receivedAt === undefined || signedAt === undefined
        ? undefined
        : signedAt - quote.receivedAt,
    inclusionMs: sent === undefined || included === undefined ? undefined : included.at - sent.at,
    inclusionBlocks:
      block === undefined || sentAtBlock === null || sentAtBlock === undefined
        ? undefined
        : block - sentAtBlock,
    leftSeconds:
      quote === undefined || included === undefined
        ? undefined
        : quote.deadline - Math.ceil(included.at / 1_000),
  }
}
