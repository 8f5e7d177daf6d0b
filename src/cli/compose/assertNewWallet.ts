import { encodeEventTopics } from 'viem'
import { locked } from '../../bot/journal/guard.ts'
import { erc20Abi } from '../../chain/abi/erc20.ts'
import { swapRouterAbi } from '../../chain/abi/swapRouter.ts'
import type { Hex } from '../../chain/calls/fields.ts'
import { getBlock } from '../../chain/calls/getBlock.ts'
import { getLogs } from '../../chain/calls/getLogs.ts'
import { readContract } from '../../chain/calls/readContract.ts'
import { RpcRefused } from '../../chain/rpc/errors.ts'
import { isNative } from '../../core/token.ts'
import type { Reconciling } from './reconcileWallet.ts'

const day = 24 * 60 * 60 * 1_000

/** How many blocks are searched for swaps, the most first: many nodes refuse a long range. */
const rangesMax = [5_000, 500, 50]

/**
 * Refuses to begin anew where an older journal is missing.
 *
 * A journal that does not know its wallet, and a wallet that has sent transactions, are a first installation or a lost
 * journal. In the second case bytes may be under way, and what was spent of the limits is forgotten. They are told
 * apart by what only a bot leaves behind: allowances of the router, and its swaps in recent blocks. Then the wallet is
 * halted, and a person begins anew with `ballast resume`. Where the node does not tell, nothing is taken for granted.
 */
export async function assertNewWallet(
  { config, rpc, journal }: Pick<Reconciling, 'config' | 'rpc' | 'journal'>,
  nonceOfChain: number,
): Promise<void> {
  const { chain, wallet } = config
  if (nonceOfChain === 0) return
  const scope = { chainId: chain.chainId, wallet: wallet.address, since: 0 }
  const { nextNonce, releases } = await journal.books.adoption(scope)
  if (nextNonce !== undefined || releases.length > 0) return
  const traces = [...(await allowances(config, rpc)), ...(await swaps(config, rpc))]
  if (traces.length === 0) return
  const { lock } = await journal.openLock({
    kind: 'halt',
    scope: `wallet ${wallet.address.toLowerCase()}`,
    code: 'JOURNAL_MISSING',
    reason: `the wallet has sent ${nonceOfChain} transactions and this journal is new, but ${traces.join(' and ')}: put the old journal back; or wait until every quote of it has expired, and begin anew: ballast resume --reason "…", which forgets what was spent of today's limits`,
    expiresAt: undefined,
  })
  throw locked(lock)
}

async function allowances(
  { tokens, wallet, service }: Reconciling['config'],
  rpc: Reconciling['rpc'],
): Promise<readonly string[]> {
  const listed = [...tokens.bySymbol.values()].filter((token) => !isNative(token))
  const outcomes = await rpc.batch(
    listed.map(({ address }) =>
      readContract({
        address,
        abi: erc20Abi,
        functionName: 'allowance',
        args: [wallet.address, service.router],
      }),
    ),
  )
  return listed.flatMap(({ symbol }, index) => {
    const seen = outcomes[index]
    if (seen?.ok !== true) return [`the node did not say what the router may take of ${symbol}`]
    return seen.value > 0n ? [`the router may take its ${symbol}`] : []
  })
}

async function swaps(
  { chain, wallet, service }: Reconciling['config'],
  rpc: Reconciling['rpc'],
): Promise<readonly string[]> {
  const head = await rpc.request(getBlock('latest'))
  if (head === undefined) return ['the node has no latest block']
  const topics = encodeEventTopics({
    abi: swapRouterAbi,
    eventName: 'Swapped',
    args: { caller: wallet.address },
  }) as (Hex | null)[]
  for (const rangeMax of rangesMax) {
    const blocks = Math.min(rangeMax, Math.ceil(day / chain.blockTimeMs))
    const from = Math.max(0, head.number - blocks)
    try {
      const found = await rpc.request(
        getLogs({ contract: service.router, topics, from, to: head.number }),
      )
      return found.length === 0
        ? []
        : [`the router settled ${found.length} swaps of it in the last ${blocks} blocks`]
    } catch (error) {
      if (!(error instanceof RpcRefused)) throw error
    }
  }
  return ['the node did not say whether the router settled swaps of it']
}
