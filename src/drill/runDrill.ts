import { privateKeyToAccount } from 'viem/accounts'
import { erc20Abi } from '../chain/abi/contracts.ts'
import type { Hex } from '../chain/calls/fields.ts'
import { getBlock } from '../chain/calls/node.ts'
import { readContract } from '../chain/calls/readContract.ts'
import { createRpc } from '../chain/rpc/createRpc.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { assert } from '../core/assert.ts'
import type { Clock } from '../core/clock.ts'
import { formatDecimal, parseDecimal } from '../core/decimal.ts'
import type { ReadyDocument } from '../sandbox/readyDocument.ts'
import { anvilCalls } from '../sandbox/startAnvil.ts'
import { controls } from './controls.ts'
import { createForger, type DrillScene } from './createForger.ts'
import { createStage } from './createStage.ts'
import type { BotAnswer, OpenDrillBot } from './drillBot.ts'
import { worthOfNative } from './drillWorld.ts'
import { httpLies } from './httpLies.ts'
import { chainSwaps, judgeControl, judgeLie } from './judge.ts'
import type { Lie, Stage, Wish } from './lie.ts'
import { quoteLies } from './quoteLies.ts'
import { rpcLies } from './rpcLies.ts'
import { type LyingNode, startLyingNode } from './startLyingNode.ts'
import { type LyingService, startLyingService } from './startLyingService.ts'
import { tokenLies } from './tokenLies.ts'

/** How one case came out. */
export type DrillVerdict = {
  readonly name: string
  readonly kind: Lie['kind']
  readonly what: string
  /** An honest case: it must be accepted. */
  readonly control: boolean
  readonly ok: boolean
  /** The cause of the stop, or the fault. */
  readonly by: string
  readonly ms: number
}

export type Drilling = {
  /** An embedded market with the world of the drill. */
  readonly market: ReadyDocument
  /** The key of its tokens' deployer. */
  readonly deployer: Hex
  readonly currency: string
  readonly wrapped: string
  readonly quote: { readonly expirySeconds: number; readonly slippageBps: number }
  /** The usual wish, and its worth in millionths of a coin: others are as large. */
  readonly wish: Wish
  readonly worth: bigint
  readonly openBot: OpenDrillBot
  /** Of these cases alone, and of the honest one. Absent: all. */
  readonly only?: ReadonlySet<string>
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly onVerdict?: (verdict: DrillVerdict) => void
}

type Round = Drilling & {
  readonly rpc: Rpc
  readonly scene: DrillScene
  readonly stage: Stage
  readonly service: LyingService
  readonly node: LyingNode
}

/** After a transaction was sent a lie may go on for so long; then an honest node shows what became of it. */
const limitMs = 2_500
/** An honest case that takes longer is not accepted, and nothing else here does. */
const patienceMs = 20_000
const blockMs = 40

/** The share pools keep, and a trade of the usual size moves them by. */
const poolBps = 60n

/**
 * Puts every lie to a fresh bot, and all that is honest as well.
 *
 * The first case is always the honest market: where that does not settle, a refusal proves nothing.
 */
export async function runDrill(drilling: Drilling): Promise<readonly DrillVerdict[]> {
  const { market, only, signal, clock, onVerdict } = drilling
  const rpc = createRpc({ url: market.rpcUrl })
  const scene = sceneOf(drilling)
  let settledQuote = '{}'
  const forger = createForger({
    scene,
    keys: {
      makers: Object.values(market.makers).map(({ privateKey }) => privateKeyToAccount(privateKey)),
      feeSigner: privateKeyToAccount(market.feeSigner.privateKey),
      stranger: privateKeyToAccount(`0x${'5'.repeat(64)}`),
    },
    settled: () => settledQuote,
  })
  const keys = { deployer: drilling.deployer, wallet: treasuryOf(market).privateKey }
  const service = await startLyingService({ upstream: market.serviceUrl, forger, clock })
  const node = await startLyingNode({ upstream: market.rpcUrl, scene })
  const stage = createStage({ rpc, scene, keys })
  const round: Round = { ...drilling, rpc, scene, stage, service, node }
  await rpc.request(anvilCalls.mineAtOnce)
  const verdicts: DrillVerdict[] = []
  try {
    const [honest, ...others] = controls
    assert(honest !== undefined, 'the first control is the honest market')
    const chosen = [...others, ...catalogue].filter(({ name }) => only?.has(name) ?? true)
    for (const lie of [honest, ...chosen]) {
      if (signal.aborted) break
      const verdict = await tell(lie, round)
      if (lie === honest) settledQuote = service.lastFirm() ?? settledQuote
      verdicts.push(verdict)
      onVerdict?.(verdict)
    }
    return verdicts
  } finally {
    await service.close()
    await node.close()
    await rpc.close()
  }
}

/** One lie, one fresh bot, one verdict. The chain is as before when it returns. */
async function tell(lie: Lie, round: Round): Promise<DrillVerdict> {
  const { rpc, clock, service, node, scene, stage } = round
  const control = controls.includes(lie)
  const wish = wishOf(lie, round)
  const amountIn = amountOf(wish, round)
  const beganAt = clock.now()
  const changes = lie.kind === 'token' && (lie.prepare !== undefined || lie.turn !== undefined)
  const before = changes ? await rpc.request(takeSnapshot) : undefined
  await allow(wish, amountIn, round)
  if (lie.kind === 'token') await lie.prepare?.(stage)
  // The chain of a drill stands still between its cases, and a node must not look as if it had stopped.
  await rpc.request(anvilCalls.mine)
  const since = await head(rpc)
  service.tell(lie)
  node.tell(lie)

  const stop = new AbortController()
  const enough = new AbortController()
  const signal = AbortSignal.any([enough.signal, AbortSignal.timeout(patienceMs), round.signal])
  const mining = mine(round, stop.signal, () => {
    if (!control) enough.abort()
  })
  const bot = round.openBot({
    rpcUrl: node.url,
    serviceUrl: service.url,
    ...(lie.floor === 'references' && { witness: control ? ('given' as const) : ('own' as const) }),
    async onOpen() {
      if (lie.kind === 'token') await lie.turn?.(stage)
      node.swapBegins()
    },
  })
  try {
    const floorWei = lie.floor === 'lax' ? 1n : floorOf(wish, amountIn, round)
    const stated = lie.floor === 'references' ? undefined : floorWei
    const told = await bot.swap({ ...wish, floorWei: stated }, signal)
    const sent = node.sent().length
    const trapped = service.trapped()
    service.tell(undefined)
    node.tell(undefined)
    const open = sent > 0 || bot.signatures() > 0
    const later = AbortSignal.any([AbortSignal.timeout(patienceMs), round.signal])
    const afterwards = open ? await bot.follow(later) : told
    const evidence = {
      signatures: bot.signatures(),
      sent,
      trapped,
      told,
      afterwards,
      swaps: await rpc.request(chainSwaps(scene, since)),
      wanted: { recipient: scene.wallet, amountIn, floor: floorWei },
    }
    const wrong = control ? judgeControl(evidence) : judgeLie(lie, evidence)
    const { name, kind, what } = lie
    return {
      ...{ name, kind, what, control },
      ok: wrong === undefined,
      by: wrong ?? explain(told, afterwards),
      ms: clock.now() - beganAt,
    }
  } finally {
    stop.abort()
    await mining
    if (before !== undefined) await rpc.request(goBack(before))
  }
}

const explain = (told: BotAnswer, { state, by }: BotAnswer) =>
  told.state === state || state === undefined ? told.by : `${told.by}, then ${by}`

/** Blocks come while there is something to mine or to confirm. */
async function mine(
  { rpc, node, clock }: Round,
  signal: AbortSignal,
  onEnough: () => void,
): Promise<void> {
  let sentAt: number | undefined
  while (!signal.aborted) {
    if (node.sent().length > 0) sentAt ??= clock.now()
    // Goes on when the counts are forgotten: what was sent is still to be confirmed.
    if (sentAt !== undefined) {
      if (clock.now() - sentAt > limitMs) onEnough()
      await rpc.request(anvilCalls.mine)
    }
    // Aborted: there is nothing to mine any more.
    await clock.sleep(blockMs, signal).catch(() => undefined)
  }
}

/** The router may take exactly what is to be sold, so that a refused swap has no reason to sign anything. */
async function allow({ sell }: Wish, amount: bigint, { scene, stage, rpc }: Round): Promise<void> {
  const token = scene.tokens[sell]
  if (token === undefined) return
  const allowed = await rpc.request(
    readContract({
      address: token.address,
      abi: erc20Abi,
      functionName: 'allowance',
      args: [scene.wallet, scene.router],
    }),
  )
  if (allowed === amount) return
  if (allowed !== 0n) await stage.wallet(sell, 'approve', [scene.router, 0n])
  await stage.wallet(sell, 'approve', [scene.router, amount])
}

function wishOf({ wish }: Lie, { currency, wrapped, wish: usual, worth }: Round): Wish {
  if (wish === undefined) return usual
  const buy = usual.buy === wrapped ? usual.sell : usual.buy
  const native = formatDecimal((worth * 10n ** 12n) / worthOfNative, 18)
  if (wish === 'native') return { sell: currency, amount: native, buy }
  if (wish.startsWith('buy ')) return { sell: wrapped, amount: native, buy: wish.slice(4) }
  return { sell: wish, amount: formatDecimal(worth, 6), buy: wrapped }
}

const decimalsOf = (symbol: string, { market }: Drilling) => market.tokens[symbol]?.decimals ?? 18

const amountOf = ({ sell, amount }: Wish, round: Drilling) =>
  parseDecimal(amount, decimalsOf(sell, round))

/** The floor a strategy would insist on: the market's price, less slippage and what pools keep. */
function floorOf({ sell, buy }: Wish, amountIn: bigint, round: Drilling): bigint {
  const { currency, wrapped, quote } = round
  const worth = (symbol: string) => (symbol === currency || symbol === wrapped ? worthOfNative : 1n)
  const unit = (symbol: string) => 10n ** BigInt(decimalsOf(symbol, round))
  const fair = (amountIn * worth(sell) * unit(buy)) / (worth(buy) * unit(sell))
  const kept = 10_000n - BigInt(quote.slippageBps) - poolBps
  const floor = (fair * kept) / 10_000n
  return floor > 0n ? floor : 1n
}

function sceneOf({ market, wrapped, wish, quote }: Drilling): DrillScene {
  const at = (symbol: string) => market.tokens[symbol] ?? market.tokens[wrapped]
  const [sold, bought, wrapper] = [at(wish.sell), at(wish.buy), at(wrapped)]
  assert(sold !== undefined && bought !== undefined && wrapper !== undefined, 'tokens are deployed')
  const { chainId, router, executor, tokens } = market
  return {
    ...{ chainId, router, executor, tokens },
    wrapped: wrapper.address,
    wallet: treasuryOf(market).address,
    expirySeconds: quote.expirySeconds,
    sold: sold.address,
    bought: bought.address,
  }
}

function treasuryOf({ wallets }: ReadyDocument) {
  const { treasury } = wallets
  assert(treasury !== undefined, 'every world has a treasury')
  return treasury
}

async function head(rpc: Rpc): Promise<number> {
  const block = await rpc.request(getBlock('latest'))
  assert(block !== undefined, 'the chain of the drill has a head')
  return block.number
}

const takeSnapshot = {
  method: 'evm_snapshot',
  params: [],
  parse: (answer: unknown) => String(answer),
}
const goBack = (snapshot: string) => ({
  method: 'evm_revert',
  params: [snapshot],
  parse: (answer: unknown) => assert(answer === true, 'a snapshot of the drill is there'),
})

/** Every lie the drill knows. Names are stable: scripts and reports use them. */
export const catalogue: readonly Lie[] = [...quoteLies, ...httpLies, ...rpcLies, ...tokenLies]
