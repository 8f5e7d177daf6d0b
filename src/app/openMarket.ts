import { createSilence } from '../bot/createSilence.ts'
import { getChainId, hasBaseFee } from '../chain/calls/node.ts'
import type { Play } from '../chain/calls/simulate.ts'
import { traceReads } from '../chain/calls/traces.ts'
import { createRpc } from '../chain/rpc/createRpc.ts'
import { type Rpc, saysNo } from '../chain/rpc/rpc.ts'
import { withFallbacks } from '../chain/rpc/withFallbacks.ts'
import { withRetries } from '../chain/rpc/withRetries.ts'
import { withLiveHead } from '../chain/withLiveHead.ts'
import type { WitnessConfig } from '../config/chain.ts'
import type { Config } from '../config/config.ts'
import { type Clock, systemClock } from '../core/clock.ts'
import { BallastError, ballastError } from '../core/errors.ts'
import { headAgeMsMax } from '../core/headAgeMsMax.ts'
import type { Secret } from '../core/secret.ts'
import type { Token } from '../core/token.ts'
import type { OpenMarket } from '../engine/market.ts'
import { absentTokens, assertPresent, placeOf, stillAbsent } from './assertTokens.ts'
import { shallowNodes } from './finalStateMissing.ts'
import { openQuotes } from './openQuotes.ts'
import { openReferences } from './openReferences.ts'
import { findPlay } from './rehearse.ts'

/** The outside parties: the chain, the quoting service, and what else knows prices. Before anything else the chain is checked to be the configured one. */
export async function openMarket(config: Config, clock: Clock): Promise<OpenMarket> {
  const { chain } = config
  await using opened = new AsyncDisposableStack()
  const closing = <part extends { close(): Promise<void> }>(part: part): part =>
    opened.adopt(part, (one) => one.close())
  const nodes = openNodes(config)
  const rpc = closing(asOne(config, nodes, clock))
  let serviceClock: { readonly aheadMs: number; readonly at: number } | undefined
  const quotes = closing(
    openQuotes(config, {
      clock,
      onDate: ({ saidAt, receivedAt }) => {
        serviceClock = { aheadMs: saidAt - receivedAt, at: receivedAt }
      },
    }),
  )
  const second = chain.witness && openWitness(chain.witness)
  if (second !== undefined) closing(second.rpc)
  const also = closing(openSenders(config))
  const independent = closing(openReferences({ config, rpc, witness: second?.rpc, quotes, clock }))
  let absent = await absentOf(config, rpc)
  await eachNode(nodes.readers, async (node) => {
    const [found, withFee] = await node.batch([getChainId, hasBaseFee])
    if (!found.ok) throw found.error
    assertChain(config, { found: found.value, endpoint: node.label })
    if (withFee.ok && !withFee.value)
      throw ballastError('BASE_FEE_MISSING', noBaseFee, { endpoint: node.label })
  })
  await independent.check().catch((error: unknown) => {
    // A token with a wrong address is in no pool either: the address is what is to be corrected.
    if (error instanceof BallastError && error.code === 'REFERENCE_NOT_OF_PAIR')
      assertPresent(absent, placeOf(config))
    throw error
  })
  // Before traces, which can be given up: what a node that can do neither is told has no way around it.
  const [play, witness] = await Promise.all([
    findPlay(nodes.readers, config),
    second && withPlay(second, config),
    also.check(),
  ])
  await eachNode(nodes.readers, (node) => assertTracing(node, config))
  // The witness as well: it confirms the death of a swap at that depth.
  const deciders = second === undefined ? nodes.readers : [...nodes.readers, second.rpc]
  const shallow = await shallowNodes(deciders, config)
  const told = second !== undefined && chain.witness?.sends === true ? [second.rpc] : []
  const owned = opened.move()
  return {
    rpc,
    ...also.receivers([...nodes.senders, ...also.endpoints, ...told]),
    play,
    witness,
    quotes,
    appraise: independent.appraise,
    silent: independent.silent,
    async absent() {
      if (absent.length > 0) absent = await stillAbsent(rpc, absent)
      return absent
    },
    unread: createSilence(),
    close: () => owned.disposeAsync(),
    serviceClock: () => serviceClock,
    shallow,
  }
}

/** The same for a person at the keyboard: throws TOKEN_NOT_ON_CHAIN where a token of the file is not there. */
export async function openWholeMarket(config: Config, clock: Clock): Promise<OpenMarket> {
  await using opened = new AsyncDisposableStack()
  const market = opened.adopt(await openMarket(config, clock), (one) => one.close())
  assertPresent(await market.absent(), placeOf(config))
  opened.move()
  return market
}

/** The configured nodes as one, for a part that only reads the chain. */
export const openReader = (config: Pick<Config, 'chain'>): Rpc =>
  asOne(config, openNodes(config), systemClock)

/** The nodes as one that is read. A node whose head stands still gives way to the next like one that is away. */
function asOne(
  { chain: { chainId, blockTimeMs } }: Pick<Config, 'chain'>,
  { readers, senders }: ReturnType<typeof openNodes>,
  clock: Clock,
): Rpc {
  const limit = { chainId, clock, ageMsMax: headAgeMsMax(blockTimeMs) }
  // Without retries the others cost little time where they are away.
  const live = (reader: Rpc, at: number) =>
    withLiveHead(
      reader,
      senders.filter((_, index) => index !== at),
      limit,
    )
  const [first, ...more] = readers
  return withFallbacks([live(first, 0), ...more.map((reader, index) => live(reader, index + 1))])
}

/** The nodes that are read, the preferred one first; and the same without retries, to send to: what repeats reads is left out. */
function openNodes({ chain: { rpcUrl, fallbackUrls } }: Pick<Config, 'chain'>) {
  const direct = createRpc({ url: rpcUrl.reveal() })
  const more = fallbackUrls.map((url) =>
    createRpc({ url: url.reveal(), setBy: 'chain.fallbackUrls or FALLBACK_RPC_URLS' }),
  )
  const readers: [Rpc, ...Rpc[]] = [withRetries(direct), ...more.map((one) => withRetries(one))]
  return { senders: [direct, ...more], readers }
}

/** What is wrong with a chain that has none, and what can be done. */
export const noBaseFee =
  'The blocks of this chain have no base fee (EIP-1559), above which every transaction here names what it pays: use a node that shows it, or trade on another chain.'

/** Holds each node that answers to something. One that is away stops nothing here. */
async function eachNode(nodes: readonly Rpc[], check: (node: Rpc) => Promise<void>): Promise<void> {
  await Promise.all(
    nodes.map(async (node) => {
      try {
        await check(node)
      } catch (error) {
        const isAway = error instanceof BallastError && error.fault === 'upstream'
        if (!isAway || nodes.length === 1) throw error
      }
    }),
  )
}

const openWitness = ({ rpcUrl, above }: WitnessConfig) => ({
  rpc: withRetries(
    createRpc({ url: rpcUrl.reveal(), setBy: 'chain.witness.rpcUrl or WITNESS_RPC_URL' }),
  ),
  above,
})

/** One that is away now does not stop what needs no witness; a swap that needs it is refused until it is back. */
async function withPlay({ rpc, above }: ReturnType<typeof openWitness>, config: Config) {
  let found: Play | undefined
  const findOnce = async () => {
    found ??= await findPlay([rpc], config)
    return found
  }
  await findOnce().catch(() => undefined)
  return { rpc, above, findPlay: findOnce }
}

/** The chain first, then its tokens: on another chain everything else would be wrong as well. */
async function absentOf(config: Config, rpc: Rpc): Promise<readonly Token[]> {
  assertChain(config, { found: await rpc.request(getChainId), endpoint: rpc.label })
  return absentTokens(rpc, { tokens: [...config.tokens.bySymbol.values()], ...placeOf(config) })
}

/** Throws WRONG_CHAIN where an endpoint serves another chain than the configured one. */
export function assertChain(
  config: Pick<Config, 'chain' | 'locate'>,
  { found, endpoint }: { found: number; endpoint: string },
): void {
  const { chainId } = config.chain
  if (found === chainId) return
  const at = config.locate(['chain', 'chainId'])
  throw ballastError(
    'WRONG_CHAIN',
    `The RPC endpoint serves chain ${found}, but ${at} says ${chainId}: correct one of them.`,
    { endpoint },
  )
}

/** The endpoints that only get signed bytes (`chain.alsoSendTo`, `chain.sendTo`). Only their answer to that is read. */
export function openSenders({ chain, locate }: Config) {
  const opened = (urls: readonly Secret[], setBy: string) =>
    urls.map((url) => createRpc({ url: url.reveal(), setBy }))
  const endpoints = opened(chain.alsoSendTo, 'chain.alsoSendTo or ALSO_SEND_TO')
  const relays = opened(chain.sendTo, 'chain.sendTo or SEND_TO')
  const all = [...endpoints, ...relays]
  return {
    endpoints,
    /** Who gets signed bytes: the public endpoints, or the relays that replace them, and those only after a while. */
    receivers(open: readonly Rpc[]): Pick<OpenMarket, 'senders' | 'publicSenders'> {
      if (relays.length === 0) return { senders: open, publicSenders: [] }
      return { senders: relays, publicSenders: chain.publicAfterMs === undefined ? [] : open }
    },
    /**
     * Throws WRONG_CHAIN. One that is away, or answers no other call than a broadcast, stops nothing: it is there for
     * the day another is away, and bytes name their chain, so that no other takes them.
     */
    async check(): Promise<void> {
      await Promise.all(
        all.map(async (rpc) => {
          const found = await rpc.request(getChainId).catch(() => undefined)
          if (found !== undefined) assertChain({ chain, locate }, { found, endpoint: rpc.label })
        }),
      )
    },
    async close(): Promise<void> {
      await Promise.all(all.map((rpc) => rpc.close()))
    },
  }
}

/** Refuses a node that cannot trace calls where the configuration requires it: with one harmless call. */
export async function assertTracing(
  rpc: Rpc,
  { chain, wallet, locate }: Pick<Config, 'chain' | 'wallet' | 'locate'>,
): Promise<void> {
  if (chain.tracing === 'unavailable') return
  const { address } = wallet
  try {
    await rpc.request(traceReads({ from: address, to: address, data: '0x', gas: 50_000n }))
  } catch (error) {
    if (!saysNo(error)) throw error
    throw ballastError(
      'TRACING_UNAVAILABLE',
      `The RPC endpoint cannot trace calls (debug_traceCall), so what a swap writes would not be seen: use another one, or write tracing: unavailable at ${locate(['chain'])}.`,
      { endpoint: rpc.label },
      error,
    )
  }
}
