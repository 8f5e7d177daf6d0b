import { createQuoteApi } from '../bot/quote/api/createQuoteApi.ts'
import { erc20Abi } from '../chain/abi/contracts.ts'
import { getChainId } from '../chain/calls/node.ts'
import { readContract } from '../chain/calls/readContract.ts'
import { simulate } from '../chain/calls/simulate.ts'
import { createRpc } from '../chain/rpc/createRpc.ts'
import { RpcGarbled, type RpcOutcome, RpcRefused } from '../chain/rpc/rpc.ts'
import { withRetries } from '../chain/rpc/withRetries.ts'
import type { WitnessConfig } from '../config/chain.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import { ballastError } from '../core/errors.ts'
import { type Address, isNative, type Token } from '../core/token.ts'
import type { OpenMarket } from '../engine/market.ts'
import { assertChain } from './assertChain.ts'
import { assertTracing } from './assertTracing.ts'
import { findPlay } from './findPlay.ts'
import { openReferences } from './openReferences.ts'
import { openSenders } from './openSenders.ts'

/** The outside parties: the chain, the quoting service, and what else knows prices. Before anything else the chain is checked to be the configured one. */
export async function openMarket(config: Config, clock: Clock): Promise<OpenMarket> {
  const direct = createRpc({ url: config.chain.rpcUrl.reveal() })
  const rpc = withRetries(direct)
  let serviceClock: { readonly aheadMs: number; readonly at: number } | undefined
  const quotes = createQuoteApi({
    url: config.service.url.reveal(),
    apiKey: config.service.apiKey,
    timeoutMs: config.quote.timeoutMs,
    clock,
    onDate: ({ saidAt, receivedAt }) => {
      serviceClock = { aheadMs: saidAt - receivedAt, at: receivedAt }
    },
  })
  const second = config.chain.witness && openWitness(config.chain.witness)
  const also = openSenders(config)
  const independent = openReferences({ config, rpc, witness: second?.rpc, quotes, clock })
  const close = async () => {
    await Promise.all([
      rpc.close(),
      quotes.close(),
      independent.close(),
      second?.rpc.close(),
      also.close(),
    ])
  }
  try {
    const listed = [...config.tokens.bySymbol.values()].filter((token) => !isNative(token))
    const [chainId, ...decimals] = await rpc.batch([
      getChainId,
      ...listed.map(({ address }) =>
        readContract({ address, abi: erc20Abi, functionName: 'decimals', args: [] }),
      ),
    ])
    if (!chainId.ok) throw chainId.error
    assertChain(config, { found: chainId.value, endpoint: rpc.label })
    for (const [index, token] of listed.entries()) assertToken(config, token, decimals[index])
    await independent.check()
    const [play, witness] = await Promise.all([
      findPlay(rpc, config.wallet.address),
      second && withPlay(second, config.wallet.address),
      assertTracing(rpc, config),
      also.check(),
    ])
    const { appraise } = independent
    const told = second !== undefined && config.chain.witness?.sends === true ? [second.rpc] : []
    return {
      rpc,
      // The first is the one without retries: what repeats reads is left out.
      senders: [direct, ...also.endpoints, ...told],
      play,
      witness,
      quotes,
      appraise,
      close,
      serviceClock: () => serviceClock,
    }
  } catch (error) {
    await close()
    throw error
  }
}

const openWitness = ({ rpcUrl, above }: WitnessConfig) => ({
  rpc: withRetries(
    createRpc({ url: rpcUrl.reveal(), setBy: 'chain.witness.rpcUrl or WITNESS_RPC_URL' }),
  ),
  above,
})

async function withPlay(witness: ReturnType<typeof openWitness>, wallet: Address) {
  // One that is away now does not stop what needs no witness; a swap that needs it is refused until it is back.
  const play = await findPlay(witness.rpc, wallet).catch(() => simulate)
  return { ...witness, play }
}

/** A token that is not there, or counts in other units than the file says, makes every amount wrong. */
function assertToken(
  config: Config,
  { symbol, address, decimals }: Token,
  seen: RpcOutcome<number> | undefined,
): void {
  if (seen?.ok === true && seen.value === decimals) return
  const at = config.locate(['tokens', symbol])
  const refused =
    seen?.ok === false && (seen.error instanceof RpcRefused || seen.error instanceof RpcGarbled)
  if (seen?.ok === false && !refused) throw seen.error
  const { name } = config.chain
  throw ballastError(
    'TOKEN_NOT_ON_CHAIN',
    seen?.ok === true
      ? `${symbol} has ${seen.value} decimals on ${name}, but ${at} says ${decimals}: write decimals: ${seen.value}.`
      : `There is no token ${symbol} at ${address} on ${name}: correct the address at ${at}.`,
  )
}
