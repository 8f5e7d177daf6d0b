import { encodeEventTopics } from 'viem'
import { swapRouterAbi } from '../../contracts/abi/swapRouter.ts'
import { erc20Abi } from '../chain/abi/contracts.ts'
import type { Hex } from '../chain/calls/fields.ts'
import { getLogs } from '../chain/calls/getLogs.ts'
import { getBlock } from '../chain/calls/node.ts'
import { readContract } from '../chain/calls/readContract.ts'
import { type Rpc, RpcRefused } from '../chain/rpc/rpc.ts'
import { spendersOf } from '../chain/settlement/spendersOf.ts'
import type { Config } from '../config/config.ts'
import { dayMs } from '../core/spans.ts'
import { isNative, sameAddress } from '../core/token.ts'
import { spenderText } from './spenderText.ts'

/** The block ranges searched for swaps, the longest first: many nodes refuse a long range. */
const rangesMax = [5_000, 500, 50]

/**
 * The traces that only a bot leaves behind on a chain: allowances from the wallet to whoever it approves, and its swaps in
 * recent blocks; a clause each. That of Permit2 counts where the policy sells by permits: the router may have none then.
 * Where the node does not answer, a clause states that as well: nothing is taken for granted.
 */
export async function tracesOfBot(config: Config, rpc: Rpc): Promise<readonly string[]> {
  return [...(await allowances(config, rpc)), ...(await swaps(config, rpc))]
}

async function allowances(
  { tokens, wallet, service, policy }: Config,
  rpc: Rpc,
): Promise<readonly string[]> {
  const { router } = service
  const listed = [...tokens.bySymbol.values()].filter((token) => !isNative(token))
  const pairs = listed.flatMap((token) =>
    spendersOf(token, { router, permits: policy.permits }).map((spender) => ({ token, spender })),
  )
  const outcomes = await rpc.batch(
    pairs.map(({ token, spender }) =>
      readContract({
        address: token.address,
        abi: erc20Abi,
        functionName: 'allowance',
        args: [wallet.address, spender],
      }),
    ),
  )
  return pairs.flatMap(({ token: { symbol }, spender }, index) => {
    const seen = outcomes[index]
    const name = sameAddress(spender, router) ? 'the router' : spenderText(spender)
    if (seen?.ok !== true) return [`the node did not say what ${name} may take of ${symbol}`]
    return seen.value > 0n ? [`${name} may take its ${symbol}`] : []
  })
}

async function swaps({ chain, wallet, service }: Config, rpc: Rpc): Promise<readonly string[]> {
  const head = await rpc.request(getBlock('latest'))
  if (head === undefined) return ['the node has no latest block']
  const topics = encodeEventTopics({
    abi: swapRouterAbi,
    eventName: 'Swapped',
    args: { caller: wallet.address },
  }) as (Hex | null)[]
  // Of any contract, since the router may have been another one then; of the router alone where a node refuses that.
  const searches = [undefined, service.router].flatMap((contract) =>
    rangesMax.map((blocksMax) => ({ contract, blocksMax })),
  )
  for (const { contract, blocksMax } of searches) {
    const blocks = Math.min(blocksMax, Math.ceil(dayMs / chain.blockTimeMs))
    const from = Math.max(0, head.number - blocks)
    try {
      const found = await rpc.request(getLogs({ contract, topics, from, to: head.number }))
      return found.length === 0
        ? []
        : [`a router settled ${found.length} swaps of it in the last ${blocks} blocks`]
    } catch (error) {
      if (!(error instanceof RpcRefused)) throw error
    }
  }
  return ['the node did not say whether a router settled swaps of it']
}
