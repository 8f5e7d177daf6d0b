import type { UnsignedJournal } from '../bot/journal/createUnsigned.ts'
import type { Holding } from '../bot/journal/valuations/valuations.ts'
import type { Log } from '../bot/report/createLog.ts'
import { getBalanceOf } from '../chain/calls/getBalanceOf.ts'
import { getBlock } from '../chain/calls/node.ts'
import { isOfContract, RpcRefused } from '../chain/rpc/rpc.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import { hourMs, minuteMs, secondMs } from '../core/spans.ts'
import { sameToken } from '../core/token.ts'
import type { OpenMarket } from '../engine/market.ts'
import { behindJournal } from './chainNonce.ts'

type Valuing = {
  readonly config: () => Pick<Config, 'wallet' | 'tokens' | 'policy'>
  readonly market: Pick<OpenMarket, 'rpc' | 'appraise' | 'unread'>
  readonly journal: Pick<UnsignedJournal, 'valuations' | 'books' | 'swaps'>
  readonly clock: Clock
  readonly log: Log
}

/** Between two valuations. */
const everyMs = 5 * minuteMs

/** After one that failed or lacks a price, for a few times: a page without a worth is not to wait for minutes. */
const [retryMs, retriesMax] = [20 * secondMs, 5]

/**
 * Writes down what the wallet holds and is worth, at the start and then every five minutes, whatever the strategies look at.
 * A node or a source that is away stops nothing: the next instant has the next valuation.
 */
export async function recordValuations(valuing: Valuing, signal: AbortSignal): Promise<void> {
  const { journal, clock, log } = valuing
  let isTold = false
  let lacking = 0
  let recordedAt = Number.NEGATIVE_INFINITY
  while (!signal.aborted) {
    lacking += 1
    try {
      // Only one of each hour is kept, and the books need one of a moment without a swap.
      const isDue = Math.abs(clock.now() - recordedAt) >= hourMs
      const valued = await valueNow(valuing, { duringSwaps: isDue })
      if (valued !== undefined) {
        await journal.valuations.record(valued)
        recordedAt = valued.at
      }
      isTold = false
      if (valued?.holdings.every(({ worth }) => worth !== undefined)) lacking = 0
    } catch (error) {
      if (!isTold) log.warn({ err: error }, 'the wallet could not be valued')
      isTold = true
    }
    const waitMs = lacking > 0 && lacking <= retriesMax ? retryMs : everyMs
    await clock.sleep(waitMs, signal).catch(() => undefined)
  }
}

/**
 * The wallet's balances of one exchange with the node, each at the price of the independent sources; undefined where a swap
 * began meanwhile, or is under way and that is no time for it.
 */
async function valueNow(
  { config, market: { rpc, appraise, unread }, journal, clock }: Valuing,
  { duringSwaps }: { readonly duringSwaps: boolean },
) {
  const { wallet, tokens, policy } = config()
  const { token: unit } = policy.notional.perSwap
  const listed = [...tokens.bySymbol.values()]
  const { chainId } = tokens.native
  const newestBlock = () => journal.books.newestBlock({ chainId, wallet: wallet.address, since: 0 })
  const newest = await newestBlock()
  const before = await underWay(journal)
  if (before.length > 0 && !duringSwaps) return undefined
  const at = clock.now()
  const [head, ...balances] = await rpc.batch([
    getBlock('latest'),
    ...listed.map((token) => getBalanceOf(token, wallet.address)),
  ])
  if (!head.ok) throw head.error
  for (const [index, { symbol: source }] of listed.entries()) {
    const outcome = balances[index]
    if (outcome?.ok === true) unread.note({ source, reason: undefined, at })
    else if (outcome !== undefined && isOfContract(outcome.error))
      unread.note({ source, reason: reasonOf(outcome.error), at })
  }
  // A swap would be a withdrawal and a deposit: its tokens are still there on a node that lags.
  if (head.value === undefined || head.value.number < newest)
    throw behindJournal(rpc.label, { head: head.value?.number, newest })
  // Of a swap that began meanwhile one token may be gone and the other not there yet.
  const isNew = (id: string) => !before.includes(id)
  if ((await newestBlock()) > newest || (await underWay(journal)).some(isNew)) return undefined
  const held = listed.flatMap((token, index) => {
    const outcome = balances[index]
    if (outcome?.ok !== true) throw outcome?.error ?? new Error('a balance was not answered')
    return outcome.value === 0n ? [] : [{ token, wei: outcome.value }]
  })
  const holdings = await Promise.all(
    held.map(async (amount): Promise<Holding> => {
      if (sameToken(amount.token, unit)) return { held: amount, worth: amount }
      const { notional, references } = await appraise({ sell: amount, buy: unit })
      const sources = references.flatMap(({ source, independent }) => (independent ? source : []))
      return { held: amount, worth: notional, sources }
    }),
  )
  return { chainId, wallet: wallet.address, at, unit, holdings }
}

const reasonOf = (error: Error) => (error instanceof RpcRefused ? error.rpcMessage : error.message)

/** Swaps that are signed and not decided yet. */
async function underWay({ swaps }: Valuing['journal']): Promise<readonly string[]> {
  const open = await swaps.open()
  const loaded = await Promise.all(open.map((id) => swaps.load(id)))
  return open.filter((_, index) => loaded[index]?.nonce !== undefined)
}
