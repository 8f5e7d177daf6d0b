import type { BlockId } from '../../chain/calls/fields.ts'
import { getBalanceOf } from '../../chain/calls/getBalanceOf.ts'
import { type Block, getBlock } from '../../chain/calls/node.ts'
import type { BytesCost } from '../../chain/rollup/bytesCost.ts'
import { isOfContract, type Rpc, RpcRefused, saysNo } from '../../chain/rpc/rpc.ts'
import type { Amount } from '../../core/amount.ts'
import type { Clock } from '../../core/clock.ts'
import { deepFreeze } from '../../core/deepFreeze.ts'
import { BallastError, ballastError } from '../../core/errors.ts'
import { headAgeMsMax } from '../../core/headAgeMsMax.ts'
import type { Price } from '../../core/price.ts'
import { type Address, isNative, sameToken, type Token } from '../../core/token.ts'
import type {
  AccountBalance,
  Context,
  Indication,
  Inflight,
  Level,
  Memory,
  Own,
  Watch,
  WatchedAccount,
} from '../strategy/index.ts'

/** The subject of an observation: a strategy with its parameters and the prices it wants. */
type Observer<params> = {
  readonly name: string
  readonly params: params
  readonly watches: readonly Watch[]
  readonly accounts?: readonly WatchedAccount[] | undefined
}

/** The price of a watch for this wallet; undefined where the service trades no such pair or amount. */
type Indicate = (ask: Watch & { readonly from: Address }) => Promise<Indication | undefined>

/** The journal's record of a strategy, and the strategy's own notes under these parameters. */
type Standing = Own & {
  readonly memory: Memory | undefined
  /** The amounts that undecided swaps of every strategy sell. */
  readonly open: readonly Pick<Inflight, 'sell'>[]
  readonly swapGas: bigint | undefined
  /** Where the newest settled swap is: a head before it shows the balances of before it. */
  readonly settled: { readonly chainId: number; readonly block: number } | undefined
}

type Sources = {
  readonly rpc: Rpc
  readonly quotes: {
    readonly indicate: Indicate
    /** The published levels in the direction of the watch, best first. */
    readonly levels: (watch: Watch) => Promise<readonly Level[]>
  }
  /** The watched amount's worth by independent sources. */
  readonly reference: (watch: Watch) => Promise<Price | undefined>
  /** The amounts that strategies of the same or a higher priority keep for themselves. */
  readonly reserved: (strategy: string) => Promise<readonly Amount[]>
  /** The gas expected of a swap before the first has settled. */
  readonly swapGasPrior: bigint
  /** What a usual swap costs for its bytes. Where they are gas, the gas of a swap that settled has it. */
  readonly bytesCost: () => Promise<BytesCost>
  /** The tip a swap would offer now, wei per gas. */
  readonly tip: () => Promise<bigint>
  readonly journal: {
    readonly standingOf: (strategy: string, params: unknown) => Promise<Standing>
  }
  readonly wallet: Address
  /** The most that one swap may sell by the policy, per token. */
  readonly swapLimits: readonly Amount[]
  /** The most that one swap may be worth by the policy. */
  readonly swapWorth: Amount
  /** Every token whose balance a strategy may read; the native one among them. */
  readonly tokens: readonly Token[]
  /** Those of them that have not told their decimals: no amount of them is known. */
  readonly absent: () => Promise<readonly Token[]>
  readonly blockTimeSeconds: number
  readonly clock: Clock
  /** Receives every head before it is judged, one that is refused as stale included. */
  readonly onHead?: (head: Block) => Promise<void>
}

/** Swaps of one or two makers or pools take 181,000 to 210,000, and an approval of a plain token 46,000 at most. */
const usualSwapGas = 250_000n

/**
 * The gas expected of a swap until one has settled: as much as swaps usually take, and no more than policy allows. The
 * policy's own limit would be several times too much: a strategy that weighs cost and use would never begin.
 */
export const priorSwapGas = (gasMax: bigint): bigint =>
  gasMax < usualSwapGas ? gasMax : usualSwapGas

/** Makers requote within a second or two; an older indication describes another market. */
const indicationAgeMsMax = 5_000

/** The result of a look: the context, its block, and the wallet's holdings there as far as tokens tell them, promised or not. */
type Look<params> = {
  readonly context: Context<params>
  readonly head: Block
  readonly holdings: readonly Amount[]
}

/** Turns the current state of chain, service and journal into the one frozen thing a decision depends on. */
export function createMarket(sources: Sources) {
  const { rpc, quotes, journal, wallet, tokens, blockTimeSeconds, clock, onHead } = sources
  const { reference, reserved: reservedFor, swapGasPrior, swapLimits, swapWorth } = sources
  const ageMsMax = headAgeMsMax(blockTimeSeconds * 1_000)

  return {
    /** Throws STALE_MARKET rather than build one from old reads. */
    async look<params>(
      { name, params, watches, accounts }: Observer<params>,
      slot: number,
    ): Promise<Look<params>> {
      // First of all: a swap that settles during the reads is then seen as in flight with its tokens gone,
      // never as done with its tokens still there.
      const { open, swapGas, settled, ...standing } = await journal.standingOf(name, params)
      const reserved = await reservedFor(name)
      const head = await rpc.request(getBlock('latest'))
      if (head !== undefined) await onHead?.(head)
      const fresh = currentHead(head, {
        ...{ now: clock.now(), ageMsMax, endpoint: rpc.label },
        settledAt: settled?.chainId === tokens[0]?.chainId ? (settled?.block ?? 0) : 0,
      })

      const askedAt = clock.now()
      const isNeeded = (token: Token) => isNative(token) || names({ params, watches }, token)
      const absent = await sources.absent()
      const lacking = absent.find((one) => isNeeded(one) || names(accounts, one))
      if (lacking !== undefined) throw withoutAmounts(lacking, 'tells no decimals', 'no answer')
      const own = tokens.filter((token) => !absent.some((one) => sameToken(one, token)))
      const asked = [
        ...own.map((token) => ({ account: wallet, token, isNeeded: isNeeded(token) })),
        ...(accounts ?? []).map((one) => ({ ...one, isNeeded: true })),
      ]
      const [outcomes, tip, bytes, indications, depths, references] = await Promise.all([
        readBalances(rpc, asked, { blockHash: fresh.hash }),
        sources.tip(),
        sources.bytesCost(),
        Promise.all(watches.map((watch) => quotes.indicate({ ...watch, from: wallet }))),
        Promise.all(watches.map((one) => (wants(one, 'depth') ? quotes.levels(one) : []))),
        Promise.all(watches.map((one) => (wants(one, 'reference') ? reference(one) : undefined))),
      ])
      const balances = outcomes.slice(0, own.length).flatMap((one) => one?.held ?? [])
      const promised = [...open.map(({ sell }) => sell), ...reserved]
      const now = clock.now()
      const lookMsMax = watches.length > 0 ? indicationAgeMsMax : ageMsMax
      if (now - askedAt > lookMsMax)
        throw stale('The look took too long: it may describe another market.', {
          ageMs: now - askedAt,
          ageMsMax: lookMsMax,
        })

      const context = {
        ...standing,
        now,
        slot,
        params,
        indications,
        depths,
        references,
        balances: balances.map((balance) => less(balance, promised)),
        ...(accounts && {
          accounts: outcomes.slice(own.length).filter((one) => one !== undefined),
        }),
        swapCost: costOf(swapGas ?? swapGasPrior + (bytes.gas ?? 0n), {
          ...{ tokens, fee: fresh.baseFeePerGas + tip, onTop: bytes.fee ?? 0n },
        }),
        swapLimits,
        swapWorth,
      }
      return { context: deepFreeze(context), head: fresh, holdings: balances }
    },

    /** The context alone. */
    async observe<params>(observer: Observer<params>, slot: number): Promise<Context<params>> {
      return (await this.look(observer, slot)).context
    },
  }
}

function currentHead(
  head: Block | undefined,
  {
    now,
    ageMsMax,
    endpoint,
    settledAt,
  }: { now: number; ageMsMax: number; endpoint: string; settledAt: number },
): Block {
  if (head === undefined) throw stale('The RPC endpoint has no latest block.', { endpoint })
  const ageMs = now - head.timestamp * 1_000
  if (ageMs > ageMsMax)
    throw stale('The latest block is old: the RPC endpoint may not follow the chain.', {
      endpoint,
      block: head.number,
      ageMs,
      ageMsMax,
    })
  if (head.number < settledAt)
    throw stale('The RPC endpoint has not seen the block of the last swap yet.', {
      endpoint,
      block: head.number,
      settledAt,
    })
  return head
}

/**
 * All of one block, in one round trip; undefined for a token that tells no balance and is not needed. One that is paused,
 * upgraded or gone stops the strategies that trade it, and no other.
 */
async function readBalances(
  rpc: Rpc,
  asked: readonly (WatchedAccount & { readonly isNeeded: boolean })[],
  block: BlockId,
): Promise<readonly (AccountBalance | undefined)[]> {
  const outcomes = await rpc.batch(
    asked.map(({ account, token }) => getBalanceOf(token, account, block)),
  )
  return asked.map(({ account, token, isNeeded }, index) => {
    const outcome = outcomes[index]
    if (outcome?.ok === true) return { account, held: { token, wei: outcome.value } }
    if (outcome === undefined)
      throw stale('The RPC endpoint left a balance out.', { token: token.symbol })
    const { error } = outcome
    if (!saysNo(error)) throw error
    if (!isNeeded && isOfContract(error)) return undefined
    const said = error instanceof RpcRefused ? error.rpcMessage : error.message
    throw withoutAmounts(token, 'gives no balance', said)
  })
}

const withoutAmounts = ({ symbol }: Token, what: string, said: string) =>
  stale(`${symbol} ${what}, and no strategy that names it decides meanwhile: ${said}`, {
    token: symbol,
  })

/** Whether a token is anywhere in it, a key included, by address or by symbol: a strategy may look for it in its own way. */
function names(value: unknown, token: Token): boolean {
  if (typeof value === 'string')
    return value === token.symbol || value.toLowerCase() === token.address.toLowerCase()
  if (typeof value !== 'object' || value === null) return false
  const parts = Symbol.iterator in value ? [...(value as Iterable<unknown>)] : Object.entries(value)
  return parts.some((part) => names(part, token))
}

const wants = ({ wants: wanted = [] }: Watch, what: 'depth' | 'reference') => wanted.includes(what)

/** The rest of a balance when every promise is kept; nothing where the promises exceed it. */
function less({ token, wei }: Amount, promised: readonly Amount[]): Amount {
  const left = promised
    .filter((one) => sameToken(one.token, token))
    .reduce((rest, one) => rest - one.wei, wei)
  return { token, wei: left > 0n ? left : 0n }
}

function costOf(
  gas: bigint,
  { tokens, fee, onTop }: { tokens: readonly Token[]; fee: bigint; onTop: bigint },
): Amount | undefined {
  const native = tokens.find(isNative)
  return native && { token: native, wei: gas * fee + onTop }
}

function stale(summary: string, facts: BallastError['facts']): BallastError {
  return ballastError('STALE_MARKET', summary, facts)
}

/** The wait after the first refusal, doubling; a wait that the service states is taken, up to the longest. */
const waitMsMin = 1_000
const waitMsMax = 60_000

/**
 * Keeps all requests from a service that is overloaded or away. A request made meanwhile fails at once with the last
 * one's error; when the wait is over, the next request goes through and decides.
 */
export function createReadGate({ clock }: { readonly clock: Clock }) {
  let shut:
    | { readonly since: number; readonly waitMs: number; readonly why: BallastError }
    | undefined

  const isShut = (now: number) =>
    shut !== undefined && now >= shut.since && now - shut.since < shut.waitMs

  return async function through<value>(ask: () => Promise<value>): Promise<value> {
    if (shut !== undefined && isShut(clock.now())) throw shut.why
    const before = shut
    try {
      const value = await ask()
      if (shut === before) shut = undefined
      return value
    } catch (error) {
      // Several that were under way together are one refusal.
      if (error instanceof BallastError && isOverload(error) && shut === before) {
        const said = error.facts.retryAfterMs
        const doubled = before === undefined ? waitMsMin : before.waitMs * 2
        const waitMs = Math.min(Math.max(doubled, typeof said === 'number' ? said : 0), waitMsMax)
        shut = { since: clock.now(), waitMs, why: error }
      }
      throw error
    }
  }
}

/** It would answer later; what it refuses for another reason it refuses one question for. */
const isOverload = ({ remedy, fault }: BallastError) => remedy === 'retry' && fault === 'upstream'
