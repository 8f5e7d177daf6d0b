import type { Hex } from '../../chain/calls/fields.ts'
import type { Play } from '../../chain/calls/simulate.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { Amount } from '../../core/amount.ts'
import type { Rounding } from '../../core/rounding.ts'
import type { Address, Token } from '../../core/token.ts'

/** The bounds for the chain. */
export type SimulationBounds = {
  readonly chainId: number
  readonly routerCodeHash: Hex
  /** Undefined for a foreign router, which has none that we know. */
  readonly executor: Address | undefined
  /** Every balance that is watched; what is neither sold nor bought must not move. */
  readonly watched: readonly Token[]
  /** The token that wraps the chain's own currency: wrapping changes how much of it there is. */
  readonly wrapped: Token
  /** Tokens whose writes are not looked at; undefined where the node cannot trace and that was accepted. */
  readonly untraced: readonly Token[] | undefined
  /** Tokens that may write vote checkpoints beside balances. */
  readonly voting?: readonly Token[]
  /** How far transfers of a token may be off by its own rounding. */
  readonly rounding?: Rounding
  readonly gasPriceMax: bigint
  /** Wei per gas, the part of it that is offered on top of the base fee. */
  readonly tipMax: bigint
  /** How far blocks are apart: how often the price of gas may rise before the deadline. */
  readonly blockTimeMs: number
  readonly gasMax: bigint
  /** The limit on gas costs, in bps of the sold amount. */
  readonly gasCostBpsMax: number
  readonly timeToDeadlineSecondsMin: number
  /** A head older than this many seconds is a node that has stopped. */
  readonly headAgeSecondsMax: number
}

/** One node, and the way it plays a scenario through. */
export type SimulationEndpoint = { readonly rpc: Rpc; readonly play: Play }

/** A second node that must see the same, from a swap of this worth on. Where it was away its way is found once it is there. */
export type Witness = {
  readonly rpc: Rpc
  readonly findPlay: () => Promise<Play>
  readonly above: Amount
}
