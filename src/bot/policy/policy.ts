import type { Amount } from '../../core/amount.ts'
import type { Address, Token } from '../../core/token.ts'
import type { ProofCaps } from '../proof.ts'
import type { Plan, Spent } from '../stages.ts'

/** This treasury's permissions. Anything not listed is refused. */
export type Policy = {
  readonly tokens: readonly Token[]
  /** Tokens that may be swapped for each other, in either direction. */
  readonly pairs: readonly (readonly [Token, Token])[]
  readonly recipients: readonly Address[]
  /** The most one swap may sell, per token; a token without a cap is not sold. */
  readonly perSwap: readonly Amount[]
  /** The most that may be sold in 24 hours, per token. */
  readonly perDay: readonly Amount[]
  /** The most that may be left for the router to take, per token; of the others each swap approves what it sells. */
  readonly allowances: readonly Amount[]
  /** The tokens whose swaps may bring a permit along: Permit2 may then be approved in place of the router. */
  readonly permits: readonly Token[]
  readonly notional: Notional
  /** The most that a swap may be worth where it is seen with less than full proof. */
  readonly proof: ProofCaps
  readonly slippageBpsMax: number
  /** How far a quote may be from any reference, to either side. */
  readonly deviationBpsMax: number
  /** References that must have answered. */
  readonly referencesMin: number
  /** Stablecoins and how far each may be from its peg. */
  readonly stablecoins: readonly { readonly token: Token; readonly deviationBpsMax: number }[]
  /** The least and the most that one whole token may be worth, in the unit of account. */
  readonly bands: readonly Band[]
  /** The shortest time between two swaps of one strategy in one pair. */
  readonly cooldownMs: number
}

type Band = { readonly token: Token; readonly min: Amount; readonly max: Amount }

/** Limits in the unit of account, over all tokens. */
export type Notional = {
  readonly perSwap: Amount
  readonly perHour: Amount
  readonly perDay: Amount
  /** Of one strategy in 24 hours. */
  readonly perStrategy: Amount
}

/** The journal queries of the rules. */
export type Spending = {
  spent(plan: Plan): Promise<Spent>
  /** Whether a quote with this id was signed for before. */
  quoteSeen(quote: {
    readonly chainId: number
    readonly router: Address
    readonly quoteId: string
    readonly swapId: string
  }): Promise<boolean>
}
