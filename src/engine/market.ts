import type { Silences } from '../bot/createSilence.ts'
import type { QuoteApi } from '../bot/quote/api/createQuoteApi.ts'
import type { SimulationEndpoint, Witness } from '../bot/simulate/bounds.ts'
import type { Appraise, Silence } from '../bot/stages.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { Token } from '../core/token.ts'

/** The outside parties, checked and open: the chain, the quoting service, and the references. */
export type OpenMarket = {
  readonly rpc: Rpc
  /** The endpoints that receive signed bytes. None repeats a call by itself. */
  readonly senders: readonly Rpc[]
  /** Where those are private relays: what gets the same bytes once `chain.publicAfter` has passed. Empty without it. */
  readonly publicSenders: readonly Rpc[]
  readonly play: SimulationEndpoint['play']
  readonly witness: Witness | undefined
  readonly quotes: QuoteApi
  /** Values an intent by the references. */
  readonly appraise: Appraise
  /** The references that gave no price when they were last read for it. */
  readonly silent: () => readonly Silence[]
  /** The tokens of the file that told no balance when the wallet was last valued, by symbol. */
  readonly unread: Silences
  /**
   * The tokens of the file that have not told its decimals since the start: they are read again. No amount of them is
   * known.
   */
  readonly absent: () => Promise<readonly Token[]>
  /** How far the service's clock was ahead of this one at its last answer, and when that came. */
  readonly serviceClock: () => { readonly aheadMs: number; readonly at: number } | undefined
  /** What is wrong with nodes that keep no state of final blocks, a line for each. */
  readonly shallow?: readonly string[]
  readonly close: () => Promise<void>
}
