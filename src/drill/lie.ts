import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Hex } from '../chain/calls/fields.ts'
import type { HttpAnswer } from '../chain/http.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { Clock } from '../core/clock.ts'
import type { DrillScene, Forger, HonestQuote } from './createForger.ts'

/** The swap requested of the bot: symbols of the embedded market, the amount as decimal text. */
export type Wish = { readonly sell: string; readonly amount: string; readonly buy: string }

type Case = {
  /** Stable, kebab-case: `--only` takes it. */
  readonly name: string
  /** The event, in one sentence. */
  readonly what: string
  /** Another wish than the usual one: the chain's own currency, or a token of the drill. */
  readonly wish?: 'native' | BadToken | `buy ${BadToken}`
  /**
   * `lax`: the strategy insists on nothing, so that what stops the lie is not the strategy. `references`: nobody states a
   * floor, as in `swap --live` without one; then the bot has the witness of its configuration.
   */
  readonly floor?: 'lax' | 'references'
  /**
   * `may`: a signature alone is no failure. Either the lie comes after it, or it does no harm. Then two things count:
   * the chain holds at most one swap, the requested one, and the bot reports exactly that.
   */
  readonly signs?: 'never' | 'may'
}

/** Tokens of the drill that do not behave, by the symbol they have in its world. */
export type BadToken = 'XLEAKY' | 'XMUTE' | 'XFALSE' | 'XHOOK' | 'XLIST'

/** The honest firm quote, turned into another body: an object, or the text itself. */
export type QuoteLie = Case & {
  readonly kind: 'quote'
  readonly bend: (honest: HonestQuote, forger: Forger) => unknown
  /** The indicative quote and the order book match the lie: every amount bought times this, in bps. */
  readonly chorusBps?: bigint
  /** The node is of the same party, and lies as well. */
  readonly node?: Pick<RpcLie, 'bend'>
}

/** One exchange of the service that a liar answers as it likes. */
export type Exchange = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Sends this exact question to the honest service. */
  honest(): Promise<HttpAnswer>
  /** Number of earlier requests of this endpoint, in this case. */
  readonly earlier: number
  /** Another origin, where nothing of ours may arrive. */
  readonly trap: string
  readonly clock: Clock
}

export type HttpLie = Case & {
  readonly kind: 'http'
  /** Where it lies; elsewhere the service is honest. */
  readonly at: 'firm-quote' | 'indicative-quote'
  readonly answer: (exchange: Exchange) => Promise<void> | void
}

export type NodeCall = { readonly method: string; readonly params: readonly unknown[] }
export type NodeAnswer = {
  readonly id: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** The memory of a lying node, and its queries. */
export type NodeScene = DrillScene & {
  /** Raw transactions it was given, in order; those it swallowed among them. */
  readonly sent: readonly Hex[]
  /** Number of calls of this method in this case, this one included. */
  count(method: string): number
  /** Queries the real node. */
  ask(method: string, params: readonly unknown[]): Promise<unknown>
}

export type RpcLie = Case & {
  readonly kind: 'rpc'
  /** From when on it lies: the bot's start, its swap (the default), or the first transaction it is given. */
  readonly from?: 'start' | 'swap' | 'send'
  /** Answers in the place of the node, which never receives the call. Undefined: the node answers. */
  readonly instead?: (
    call: NodeCall,
    scene: NodeScene,
  ) => Promise<Partial<NodeAnswer> | undefined> | Partial<NodeAnswer> | undefined
  /** Changes what the node answered. */
  readonly bend?: (
    call: NodeCall,
    answer: NodeAnswer,
    scene: NodeScene,
  ) => Promise<NodeAnswer> | NodeAnswer
  /** Changes the whole reply: text instead of the answers, or `drop` for a connection that ends. */
  readonly reply?: (
    answers: readonly NodeAnswer[],
    calls: readonly NodeCall[],
    scene: NodeScene,
  ) => string | undefined
}

/** The chain, for a token that changes under the bot. */
export type Stage = {
  readonly scene: DrillScene
  readonly rpc: Rpc
  /** A call of a token by its owner, mined. */
  own(symbol: BadToken, name: string, args: readonly unknown[]): Promise<void>
  /** A call of a token by the wallet, mined: what a careless operator did long ago. */
  wallet(symbol: string, name: string, args: readonly unknown[]): Promise<void>
}

export type TokenLie = Case & {
  readonly kind: 'token'
  /** Before the bot starts. */
  readonly prepare?: (stage: Stage) => Promise<void>
  /** When the bot has started and is about to swap. */
  readonly turn?: (stage: Stage) => Promise<void>
}

/** One way to be cheated. */
export type Lie = QuoteLie | HttpLie | RpcLie | TokenLie

/** An honest variant in the same forms: it must settle. */
export type Control = Lie
