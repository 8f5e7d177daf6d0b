import { erc20Abi } from '../../chain/abi/erc20.ts'
import type { BlockId } from '../../chain/calls/fields.ts'
import { getBalance } from '../../chain/calls/getBalance.ts'
import { type Block, getBlock } from '../../chain/calls/getBlock.ts'
import { readContract } from '../../chain/calls/readContract.ts'
import type { Rpc, RpcCall } from '../../chain/rpc/rpc.ts'
import type { Amount } from '../../core/amount.ts'
import type { Clock } from '../../core/clock.ts'
import { BallastError } from '../../core/errors.ts'
import { type Address, isNative, type Token } from '../../core/token.ts'
import type { Context, Indication, Memory, Own, Watch } from '../strategy/index.ts'

/** What is observed for: a strategy with its parameters and the prices it wants. */
type Observer<params> = {
  readonly name: string
  readonly params: params
  readonly watches: readonly Watch[]
}

/** The price of a watch for this wallet; undefined where the service trades no such pair or amount. */
type Indicate = (ask: Watch & { readonly from: Address }) => Promise<Indication | undefined>

/** What the journal knows of a strategy, and what it wrote down for itself under these parameters. */
type Standing = Own & { readonly memory: Memory | undefined }

type Sources = {
  readonly rpc: Rpc
  readonly quotes: { readonly indicate: Indicate }
  readonly journal: {
    readonly standingOf: (strategy: string, params: unknown) => Promise<Standing>
  }
  readonly wallet: Address
  /** Every token a strategy may ask its balance of; the native one among them. */
  readonly tokens: readonly Token[]
  readonly blockTimeSeconds: number
  readonly clock: Clock
  /** Told of every head before it is judged, one that is refused as stale included. */
  readonly onHead?: (head: Block) => Promise<void>
}

/** A node that answers is not a node that follows the chain: below this it may just be between two blocks. */
const headAgeMsMin = 15_000

/** Makers requote within a second or two; an older indication describes another market. */
const indicationAgeMsMax = 5_000

/** Turns what the chain, the service and the journal say now into the one frozen thing a decision depends on. */
export function createMarket(sources: Sources) {
  const { rpc, quotes, journal, wallet, tokens, blockTimeSeconds, clock, onHead } = sources
  const headAgeMsMax = Math.max(3 * blockTimeSeconds * 1_000, headAgeMsMin)

  return {
    /** The context, and the block it was read at. Throws STALE_MARKET rather than build one from old reads. */
    async look<params>(
      { name, params, watches }: Observer<params>,
      slot: number,
    ): Promise<{ readonly context: Context<params>; readonly head: Block }> {
      // First of all: a swap that settles during the reads is then seen as in flight with its tokens gone,
      // never as done with its tokens still there.
      const standing = await journal.standingOf(name, params)
      const head = await rpc.request(getBlock('latest'))
      if (head !== undefined) await onHead?.(head)
      const fresh = currentHead(head, { now: clock.now(), headAgeMsMax, endpoint: rpc.label })

      const askedAt = clock.now()
      const [balances, indications] = await Promise.all([
        readBalances({ rpc, wallet, tokens, block: { blockHash: fresh.hash } }),
        Promise.all(watches.map((watch) => quotes.indicate({ ...watch, from: wallet }))),
      ])
      const now = clock.now()
      if (watches.length > 0 && now - askedAt > indicationAgeMsMax)
        throw stale('The indications took too long: they may describe another market.', {
          ageMs: now - askedAt,
          ageMsMax: indicationAgeMsMax,
        })

      const context = {
        ...standing,
        now,
        slot,
        params,
        indications,
        depths: watches.map(() => []),
        references: watches.map(() => undefined),
        balances,
        swapCost: undefined,
      }
      return { context: frozen(context), head: fresh }
    },

    /** The context alone. */
    async observe<params>(observer: Observer<params>, slot: number): Promise<Context<params>> {
      return (await this.look(observer, slot)).context
    },
  }
}

function currentHead(
  head: Block | undefined,
  { now, headAgeMsMax, endpoint }: { now: number; headAgeMsMax: number; endpoint: string },
): Block {
  if (head === undefined) throw stale('The RPC endpoint has no latest block.', { endpoint })
  const ageMs = now - head.timestamp * 1_000
  if (ageMs > headAgeMsMax)
    throw stale('The latest block is old: the RPC endpoint may not follow the chain.', {
      endpoint,
      block: head.number,
      ageMs,
      ageMsMax: headAgeMsMax,
    })
  return head
}

/** All of one block, in one round trip. */
async function readBalances({
  rpc,
  wallet,
  tokens,
  block,
}: {
  readonly rpc: Rpc
  readonly wallet: Address
  readonly tokens: readonly Token[]
  readonly block: BlockId
}): Promise<readonly Amount[]> {
  const outcomes = await rpc.batch(tokens.map((token) => balanceOf(token, { wallet, block })))
  return tokens.map((token, index) => {
    const outcome = outcomes[index]
    if (outcome?.ok === true) return { token, wei: outcome.value }
    throw outcome?.error ?? stale('The RPC endpoint left a balance out.', { token: token.symbol })
  })
}

function balanceOf(
  token: Token,
  { wallet, block }: { wallet: Address; block: BlockId },
): RpcCall<bigint> {
  return isNative(token)
    ? getBalance(wallet, block)
    : readContract({
        address: token.address,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [wallet],
        block,
      })
}

function stale(summary: string, facts: BallastError['facts']): BallastError {
  return new BallastError(summary, {
    code: 'STALE_MARKET',
    remedy: 'retry',
    fault: 'upstream',
    facts,
  })
}

function frozen<value>(value: value): value {
  if (typeof value !== 'object' || value === null) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}
