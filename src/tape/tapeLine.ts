import { z } from 'zod'
import { withoutSecrets } from '../core/secret.ts'

/** The first line of every file, and of every session that goes on with one. */
export const tapeHeader = z.strictObject({
  format: z.literal(1),
  /** `synthetic`: made by a generator. Every output about such a tape names it so. */
  source: z.enum(['recorded', 'synthetic']),
  /** As the quoting service names it. */
  chain: z.string(),
  chainId: z.int().nonnegative(),
  /** Scheme and host of the service, or the generator with its settings. Never a path, a query or a key. */
  service: z.string(),
  /** Milliseconds since the epoch. */
  startedAt: z.number(),
})
export type TapeHeader = z.infer<typeof tapeHeader>

/** One answer, as it came. */
export const tapeLine = z.strictObject({
  /** Milliseconds of a clock that only rises, since some start: for how far two lines of one session are apart. */
  tMono: z.number(),
  /** When the answer was there; milliseconds since the epoch. */
  tWall: z.number(),
  endpoint: z.enum(['orderbook', 'indicative-quote', 'head']),
  /** The parameters in alphabetical order, as a query string. */
  query: z.string(),
  /** Of HTTP; 0 where no answer came. */
  status: z.int().nonnegative(),
  /** The body as it came: the text of a number is not read and written again. */
  body: z.string(),
  latencyMs: z.number().nonnegative(),
  /** The last block that was seen before; null before the first. */
  headBlock: z.number().nullable(),
})
export type TapeLine = z.infer<typeof tapeLine>

/** The body of a `head`: `eth_getBlockByNumber`, the fields that replay reads. */
export const headBody = z.object({
  number: z.int().nonnegative(),
  /** Unix seconds. */
  timestamp: z.int().nonnegative(),
  /** Wei. */
  baseFeePerGas: z.string().regex(/^\d+$/),
})

/** An entry as its line of the file. A secret that a service repeats in its answer is masked. */
export function textOf(entry: WrittenEntry): string {
  const value = entry.kind === 'header' ? entry.header : entry.line
  return `${withoutSecrets(JSON.stringify(value))}\n`
}

/** Entries that were written to a tape on purpose. */
export type WrittenEntry =
  | { readonly kind: 'header'; readonly header: TapeHeader }
  | { readonly kind: 'line'; readonly line: TapeLine }
