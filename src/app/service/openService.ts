import type { Logger } from 'pino'
import { zeroAddress } from 'viem'
import { swapRouterAbi } from '../../../contracts/abi/swapRouter.ts'
import { factoriesAbi } from '../../chain/abi/contracts.ts'
import { getChainId } from '../../chain/calls/node.ts'
import { readContract } from '../../chain/calls/readContract.ts'
import { createRpc } from '../../chain/rpc/createRpc.ts'
import { type Rpc, saysNo } from '../../chain/rpc/rpc.ts'
import type { ServiceConfig } from '../../config/service/readServiceConfig.ts'
import type { Clock } from '../../core/clock.ts'
import { type BallastError, ballastError, type Facts } from '../../core/errors.ts'
import { type Address, sameAddress } from '../../core/token.ts'
import { createService } from '../../service/createService.ts'
import { assertPools } from '../assertPools.ts'
import { assertTokens } from '../assertTokens.ts'
import { followKeys } from './followKeys.ts'
import { marketOf } from './marketOf.ts'

/** A quoting service of its own, listening. */
type OpenService = {
  readonly serviceUrl: string
  close(): Promise<void>
}

/** Starts what a configuration describes; undoes what it started when it cannot. */
export async function openService(
  config: ServiceConfig,
  { port, clock, log }: { port: number | undefined; clock: Clock; log: Logger },
): Promise<OpenService> {
  const { keysFile, rateLimit, errorStyle, listen } = config
  await using opened = new AsyncDisposableStack()
  const rpc = opened.adopt(createRpc({ url: config.chain.rpcUrl.reveal() }), (one) => one.close())
  const { market } = opened.adopt(marketOf(config, { clock, log }), (one) => one.close())
  await examineChain(rpc, { ...config, feeSigner: market.feeSigner.address })
  const service = opened.adopt(
    createService({ market, rpc, apiKeys: [], rateLimit, errorStyle, clock, log }),
    (one) => one.close(),
  )
  if (keysFile !== undefined)
    opened.adopt(followKeys(service, { file: keysFile, clock, log }), (keys) => keys.stop())
  const serviceUrl = await service.listen({ host: listen.host, port: port ?? listen.port })
  const owned = opened.move()
  return { serviceUrl, close: () => owned.disposeAsync() }
}

/** Refuses to serve what could never settle: another chain, other tokens or pools, no router, another executor. */
async function examineChain(
  rpc: Rpc,
  {
    chain,
    tokens,
    pools,
    router,
    executor,
    feeSigner,
  }: ServiceConfig & { readonly feeSigner: Address },
): Promise<void> {
  const chainId = await rpc.request(getChainId)
  if (chainId !== chain.chainId)
    throw wrong('The RPC endpoint serves another chain than chain.chainId.', {
      expected: chain.chainId,
      actual: chainId,
    })
  const at = (symbol: string) => `tokens.${symbol}`
  await assertTokens(rpc, { tokens: [...tokens.values()], chain: chain.name, at })
  await assertPools(
    rpc,
    pools.map(({ tokens: pair, address, v3Fee }) => {
      const venue = v3Fee === undefined ? 'uniswap-v2' : 'uniswap-v3'
      return { pair, venue, address }
    }),
  )
  const actual = await executorOf(rpc, router)
  if (actual === undefined) throw wrong('There is no router at the configured address.', { router })
  if (!sameAddress(actual, executor))
    throw wrong('The router has another executor than the configured one.', {
      expected: executor,
      actual,
    })
  await assertSettling(rpc, { executor, pools })
  const isKnown = await rpc.request(
    readContract({
      address: router,
      abi: swapRouterAbi,
      functionName: 'isFeeSigner',
      args: [feeSigner],
    }),
  )
  if (!isKnown)
    throw wrong('The router does not know the fee signer: no quote of it would settle.', {
      router,
      feeSigner,
    })
}

async function executorOf(rpc: Rpc, router: `0x${string}`): Promise<`0x${string}` | undefined> {
  try {
    return await rpc.request(
      readContract({ address: router, abi: swapRouterAbi, functionName: 'executor', args: [] }),
    )
  } catch (error) {
    // No code there, or other code: both answer, neither with an address.
    if (saysNo(error)) return undefined
    throw error
  }
}

/** The executor is told tokens and fee alone, and trades in the pool that its own factory has for them. */
async function assertSettling(
  rpc: Rpc,
  { executor, pools }: Pick<ServiceConfig, 'executor' | 'pools'>,
): Promise<void> {
  if (pools.length === 0) return
  const at = { address: executor, abi: factoriesAbi, args: [] } as const
  const [v2, v3] = await rpc.batch([
    readContract({ ...at, functionName: 'v2Factory' }),
    readContract({ ...at, functionName: 'v3Factory' }),
  ])
  if (!v2.ok) throw v2.error
  if (!v3.ok) throw v3.error
  const found = await rpc.batch(
    pools.map(({ tokens: [{ address: a }, { address: b }], v3Fee }) =>
      v3Fee === undefined
        ? readContract({ ...at, address: v2.value, functionName: 'getPair', args: [a, b] })
        : readContract({ ...at, address: v3.value, functionName: 'getPool', args: [a, b, v3Fee] }),
    ),
  )
  for (const [index, { address: expected, tokens, v3Fee }] of pools.entries()) {
    const outcome = found[index]
    if (outcome?.ok === false && !saysNo(outcome.error)) throw outcome.error
    // Where there is no such factory, there is none of its pools.
    const actual = outcome?.ok === true ? outcome.value : zeroAddress
    if (sameAddress(actual, expected)) continue
    const names = tokens.map(({ symbol }) => symbol).join('/')
    const kind = v3Fee === undefined ? 'uniswap-v2' : `uniswap-v3 with fee ${v3Fee}`
    const summary = `The executor settles ${names} (${kind}) in another pool than the configured one.`
    throw wrong(summary, { expected, actual })
  }
}

function wrong(summary: string, facts: Facts): BallastError {
  return ballastError('WRONG_CHAIN', summary, facts)
}
