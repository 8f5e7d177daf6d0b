import type { Block } from '../../chain/calls/node.ts'
import type { Token } from '../../core/token.ts'
import type { Levels } from './levels.ts'

/** The facts a book may look at. */
export type Moment = {
  readonly block: Block
  /** How long a quote must hold; 0 is "no time at all". */
  readonly expirySeconds: number
  /** The maker's holding of a token at that block, in its smallest unit, promised or not. */
  readonly held: (token: Token) => bigint | undefined
}

/**
 * The trades a maker is willing to make in one pair. The same moment gives the same levels; prices get worse from level
 * to level, and never better with a longer expiry.
 */
export type LevelBook = {
  readonly base: Token
  readonly quote: Token
  /** In base, on either side. */
  readonly minimumWei: bigint
  levels(at: Moment): Levels
}
