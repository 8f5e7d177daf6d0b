import type { Block } from '../../chain/calls/getBlock.ts'
import type { Token } from '../../core/token.ts'
import type { Level } from './level.ts'

/** Both sides of one pair of a maker. `bid`: the maker buys base; `ask`: the maker sells base. */
export type Levels = { readonly bid: readonly Level[]; readonly ask: readonly Level[] }

/** What a maker is willing to trade in one pair. Pure: the same block and expiry give the same levels. */
export type Book = {
  readonly base: Token
  readonly quote: Token
  /** In base, whichever side. */
  readonly minimumWei: bigint
  levels(at: { readonly block: Block; readonly expirySeconds: number }): Levels
}
