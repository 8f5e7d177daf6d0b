import type { UnsignedJournal } from '../bot/journal/createUnsigned.ts'
import {
  isBehind,
  tripAtBroken,
  tripAtEnd,
  tripAtHead,
  tripAtLook,
  tripAtRefusal,
} from '../bot/lock/breakers.ts'
import { isRough, keptPrice, scopeOfPrice, tripOnDrift } from '../bot/lock/priceDrift.ts'
import type { NewLock } from '../bot/lock.ts'
import type { Log } from '../bot/report/createLog.ts'
import type { Context, Plan } from '../bot/stages.ts'
import { getTransactionCount } from '../chain/calls/account.ts'
import type { Block } from '../chain/calls/node.ts'
import type { Config } from '../config/config.ts'
import type { Amount } from '../core/amount.ts'
import type { Clock } from '../core/clock.ts'
import { BallastError } from '../core/errors.ts'
import type { Price } from '../core/price.ts'
import { minuteMs } from '../core/spans.ts'
import type { OpenMarket } from './market.ts'

type Parts = {
  readonly config: Config
  readonly journal: UnsignedJournal
  readonly market: Pick<OpenMarket, 'serviceClock' | 'rpc'>
  readonly clock: Clock
  readonly log: Log
  /** What was seen of the clocks before: it outlives a change of the configuration. */
  readonly clocks?: Clocks
}

/** What is known of the clocks of a service and a node. */
export type Clocks = {
  /** The answer of the service that was judged last. */
  judged?: ReturnType<OpenMarket['serviceClock']>
  /** Since when every head was too old to decide on. */
  behindSince?: number | undefined
}

/** A look at the market: what was decided on, and all that the wallet held. */
type Seen = {
  readonly context: Context<unknown>
  readonly head: Block
  readonly holdings: readonly Amount[]
}

/** An older answer of a service describes neither clock of today. */
const serviceClockAgeMsMax = 3 * minuteMs

/** Judges every look and every end of a swap, and opens the locks that follow. */
export function createBreakers({ config, journal, market, clock, log, clocks = {} }: Parts) {
  const { breakers, chain, wallet, tokens } = config
  async function open(locks: readonly NewLock[]): Promise<void> {
    for (const wanted of locks) {
      const { lock, fresh } = await journal.locks.open(wanted)
      if (fresh) log.error({ code: lock.code, lock }, 'a breaker opened a lock')
    }
  }
  /** Holds prices to our own of a day, and keeps the first that holds of each hour. */
  async function judgePrices(prices: readonly (Price | undefined)[]): Promise<void> {
    for (const seen of prices) {
      const price = seen && keptPrice(seen, tokens)
      if (price === undefined) continue
      const scope = scopeOfPrice(price)
      const { before, hasHour } = await journal.breakers.pricesOfDay({ price, scope })
      const lock = tripOnDrift({ at: clock.now(), price, before }, breakers)
      if (lock !== undefined) await open([lock])
      else if (!hasHour && !isRough(price)) await journal.breakers.notePrice({ price })
    }
  }
  /** Each answer's time is judged once: a person who resumes is not overruled by an answer that was judged before. */
  function serviceAheadMs(at: number): number | undefined {
    const said = market.serviceClock()
    if (said === undefined || said === clocks.judged) return undefined
    clocks.judged = said
    return at - said.at > serviceClockAgeMsMax ? undefined : said.aheadMs
  }
  /** Nothing for a swap that has not ended yet. */
  async function atEnd(swapId: string): Promise<void> {
    const facts = await journal.breakers.endFacts({ swapId })
    if (facts !== undefined) await open(tripAtEnd(facts, breakers))
  }
  return {
    atEnd,
    /** Before anything is decided: the last end, which nobody may have judged. */
    async atStart() {
      const swapId = await journal.breakers.unjudged({
        chainId: chain.chainId,
        wallet: wallet.address,
      })
      if (swapId !== undefined) await atEnd(swapId)
    },
    /** Of every head, one that is too old to decide on included. */
    async atHead(head: Block) {
      const facts = { at: clock.now(), headAt: head.timestamp * 1_000, serviceAheadMs: undefined }
      const { behindSince = facts.at } = clocks
      clocks.behindSince = isBehind(facts, breakers) ? behindSince : undefined
      await open(tripAtHead({ ...facts, behindSince: clocks.behindSince }, breakers))
    },
    /** Before anything is decided on what was seen. */
    async atLook(strategy: string, { context, head, holdings }: Seen) {
      const at = clock.now()
      const missing = await journal.wallet.balanceLedger({
        chainId: chain.chainId,
        wallet: wallet.address,
        balances: holdings,
        block: head.number,
        rounding: tokens.rounding,
      })
      const facts = {
        at,
        wallet: wallet.address,
        headAt: head.timestamp * 1_000,
        serviceAheadMs: serviceAheadMs(at),
        prices: context.indications,
        before: await journal.breakers.lastLook({ strategy }),
        missing,
        nonce: missing.length === 0 ? undefined : await nonceAt({ config, journal, market }, head),
      }
      await open(tripAtLook(facts, breakers))
      await judgePrices([...context.indications, ...context.references])
    },
    /** Before a plan is stored: the prices that it rests on. */
    async atPlan({ intent: { sell }, arrival, indication }: Plan) {
      await judgePrices([arrival && { sold: sell, bought: arrival.fair }, indication])
    },
    /** Of a strategy that failed while it decided or said what it reserves: the others go on. */
    async atBroken(strategy: string, error: BallastError) {
      await open([tripAtBroken(strategy, error)])
    },
    /** Of a refusal that no swap has a record of. */
    async atRefusal(error: BallastError) {
      await open(tripAtRefusal({ at: clock.now(), error }, breakers))
    },
  }
}

/** The nonce of the wallet at the block of a look, beside the next one by the books; undefined where one is not known. */
async function nonceAt(
  { config: { chain, wallet }, journal, market }: Pick<Parts, 'config' | 'journal' | 'market'>,
  { hash }: Block,
) {
  const scope = { chainId: chain.chainId, wallet: wallet.address }
  const state = await journal.wallet.state(scope)
  if (state === undefined) return undefined
  try {
    const call = getTransactionCount(wallet.address, { blockHash: hash })
    return { ofChain: await market.rpc.request(call), ofBooks: state.nextNonce }
  } catch (error) {
    // The lock must not wait for a node that is away: it says that the nonce is not known.
    if (!(error instanceof BallastError) || error.fault !== 'upstream') throw error
    return undefined
  }
}
