import type { Logger } from 'pino'
import { priceSources } from '../chain/abi/contracts.ts'
import { getTransactionCount } from '../chain/calls/account.ts'
import { getBlock } from '../chain/calls/node.ts'
import { readContract } from '../chain/calls/readContract.ts'
import { sendRawTransaction } from '../chain/calls/sendRawTransaction.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { Clock } from '../core/clock.ts'
import { repeat } from '../core/repeat.ts'
import type { Accounts } from './accounts.ts'
import { ownArtifact } from './artifact.ts'
import type { Prices } from './createPrices.ts'
import type { Deployment } from './readyDocument.ts'
import { createSandboxSigner } from './signer.ts'
import type { SandboxWorld } from './world.ts'
import { dollarsOf } from './writeConfig.ts'

type Options = {
  readonly rpc: Rpc
  readonly world: SandboxWorld
  readonly accounts: Accounts
  readonly deployment: Deployment
  /** Undefined: prices stand still. */
  readonly prices: Prices | undefined
  readonly clock: Clock
  readonly log: Logger
}

/** As on public chains: when the price moved this far, and after this time however little it moved. */
const movedBps = 5n
const heartbeatSeconds = 30

/** A price that stands still is repeated twice a day, well before it counts as stale. */
const stillHeartbeatSeconds = 12 * 60 * 60
const stillPollMs = 10 * 60_000

/** Answers the feeds of a world: along the synthetic prices, or with an unchanged price now and then. */
export function followFeeds(options: Options): { stop(): Promise<void> } {
  const { world, prices, clock, log } = options
  const everyMs =
    prices === undefined ? stillPollMs : Math.max(50, (world.chain.blockTimeSeconds * 1_000) / 4)
  const onError = (err: unknown) => log.warn({ err }, 'could not answer the feeds')
  let seen = -1
  return repeat({ everyMs, clock, onError }, async () => {
    seen = await answer(options, seen)
  })
}

/** Once per block, so that an answer is never sent twice. Returns the block it looked at. */
async function answer(
  { rpc, world, accounts, deployment, prices }: Options,
  seen: number,
): Promise<number> {
  const feeds = Object.entries(deployment.feeds)
  const head = await rpc.request(getBlock('latest'))
  if (head === undefined || head.number === seen || feeds.length === 0) return seen
  const rounds = await rpc.batch(
    feeds.map(([, address]) =>
      readContract({
        address,
        abi: priceSources.feed,
        functionName: 'latestRoundData',
        args: [],
        block: head.number,
      }),
    ),
  )
  const still = prices === undefined
  const values = still ? dollarsOf(world) : prices.at(head.number - deployment.block)
  const heartbeat = still ? stillHeartbeatSeconds : heartbeatSeconds
  const due = feeds.flatMap(([symbol, address], index) => {
    const round = rounds[index]
    // A token without a model is worth 1, as the pools have it.
    const dollars = values.get(symbol) ?? (still ? undefined : 1)
    if (round?.ok !== true || dollars === undefined) return []
    const [, last, , updatedAt] = round.value
    const next = feedAnswer(dollars)
    const moved = next > last ? next - last : last - next
    const old = BigInt(head.timestamp) - updatedAt >= BigInt(heartbeat)
    // Where nothing moves, any other answer of a feed is a person's experiment.
    if (!old && (still || moved * 10_000n < last * movedBps)) return []
    return [{ address, next }]
  })
  if (due.length === 0) return head.number
  const { account } = accounts.deployer
  const nonce = await rpc.request(getTransactionCount(account.address, 'pending'))
  const signer = createSandboxSigner({ account, chainId: world.chain.chainId, nonce })
  const { abi } = ownArtifact('PriceFeed')
  const raws = await Promise.all(
    due.map(({ address, next }) => signer.call(address, abi, 'answerNow', [next])),
  )
  const sent = await rpc.batch(raws.map(sendRawTransaction))
  for (const outcome of sent) if (!outcome.ok) throw outcome.error
  return head.number
}

/** As feeds of US dollars have it on public chains. */
export const feedDecimals = 8

/** Dollars as a feed answers them. From a double: a token's worth in a sandbox is no real money. */
export function feedAnswer(dollars: number): bigint {
  return BigInt(Math.round(dollars * 10 ** feedDecimals))
}
