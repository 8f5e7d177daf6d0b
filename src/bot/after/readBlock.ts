import { decodeEventLog, hexToBigInt, sliceHex, toEventSelector } from 'viem'
import { swapRouterAbi } from '../../../contracts/abi/swapRouter.ts'
import type { Hex } from '../../chain/calls/fields.ts'
import { type BlockLog, getBlockLogs } from '../../chain/calls/getBlockLogs.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { type Address, sameAddress } from '../../core/token.ts'
import type { LegFill, Neighbour, Neighbours } from '../aftermath.ts'

const v2Swap = toEventSelector('Swap(address,uint256,uint256,uint256,uint256,address)')
const v3Swap = toEventSelector('Swap(address,address,int256,int256,uint160,uint128,int24)')
const orderFilled = toEventSelector(
  'OrderFilled(address,uint256,bytes16,address,address,uint256,uint256)',
)

/** Of the nearest trades before and behind the swap so many are kept. */
const nearestMax = 10

/** What the logs of a swap's block say: who filled its legs, and who else traded in the pools that it went through. */
export async function readBlock(
  rpc: Rpc,
  { blockHash, hash, router }: { blockHash: Hex; hash: Hex; router: Address },
): Promise<{ readonly fills: readonly LegFill[]; readonly neighbours: Neighbours }> {
  const logs = await rpc.request(getBlockLogs(blockHash, [v2Swap, v3Swap, orderFilled]))
  const own = logs.filter(({ transaction }) => transaction === hash.toLowerCase())
  return {
    fills: own.flatMap((log) => fillOf(log, router) ?? []),
    neighbours: neighboursOf(logs, own),
  }
}

function fillOf(log: BlockLog, router: Address): LegFill | undefined {
  const trade = tradeOf(log)
  if (trade !== undefined)
    return { by: 'pool', address: log.address, sold: trade.sold, bought: trade.bought }
  if (!sameAddress(log.address, router)) return undefined
  const { args } = decodeEventLog({
    abi: swapRouterAbi,
    eventName: 'OrderFilled',
    topics: [...log.topics] as [Hex, ...Hex[]],
    data: log.data,
  })
  return { by: 'maker', address: args.buyer, sold: args.sellerAmount, bought: args.buyerAmount }
}

/** A trade in a pool; `isFirst` says whether the pool's first token was sold to it. */
type Trade = { readonly isFirst: boolean; readonly sold: bigint; readonly bought: bigint }

/** Any contract can log what looks like a trade: it is taken for one, and only ever shown. */
function tradeOf({ topics: [kind], data }: BlockLog): Trade | undefined {
  const words = (data.length - 2) / 64
  const word = (index: number) => hexToBigInt(sliceHex(data, index * 32, index * 32 + 32))
  if (kind === v2Swap && words === 4) {
    // By what came out of it: what a pair held beyond its reserves counts as sold to it, whichever way the trade goes.
    const isFirst = word(2) === 0n
    return isFirst
      ? { isFirst, sold: word(0), bought: word(3) }
      : { isFirst, sold: word(1), bought: word(2) }
  }
  if (kind === v3Swap && words === 5) {
    const [first, second] = [BigInt.asIntN(256, word(0)), BigInt.asIntN(256, word(1))]
    return first > 0n
      ? { isFirst: true, sold: first, bought: -second }
      : { isFirst: false, sold: second, bought: -first }
  }
  return undefined
}

/** A sandwich sells the swap's token to its pool before it, and buys it back behind it. */
function neighboursOf(logs: readonly BlockLog[], own: readonly BlockLog[]): Neighbours {
  const [first] = own
  const ways = new Map<string, boolean>()
  for (const log of own) {
    const trade = tradeOf(log)
    if (trade !== undefined) ways.set(log.address.toLowerCase(), trade.isFirst)
  }
  const all = logs.flatMap((log): (Neighbour & { readonly index: number })[] => {
    const way = ways.get(log.address.toLowerCase())
    const trade = tradeOf(log)
    if (first === undefined || way === undefined || trade === undefined) return []
    if (log.transaction === first.transaction) return []
    return [
      {
        hash: log.transaction,
        pool: log.address,
        place: log.index < first.index ? 'before' : 'after',
        side: trade.isFirst === way ? 'same' : 'opposite',
        index: log.index,
      },
    ]
  })
  const [before, after] = [
    all.filter(({ place }) => place === 'before'),
    all.filter(({ place }) => place === 'after'),
  ]
  const suspected = [...ways.keys()].some(
    (pool) =>
      before.some((one) => sameAddress(one.pool, pool) && one.side === 'same') &&
      after.some((one) => sameAddress(one.pool, pool) && one.side === 'opposite'),
  )
  const nearest = [...before.slice(-nearestMax), ...after.slice(0, nearestMax)]
  return {
    pools: ways.size,
    before: before.length,
    after: after.length,
    suspected,
    nearest: nearest.map(({ index: _, ...neighbour }) => neighbour),
  }
}
