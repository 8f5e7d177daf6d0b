import { lockText } from '../../bot/lock/lockText.ts'
import { attentionText } from '../../bot/report/attention.ts'
import { listenPrivately } from '../../bot/sign/process/listenPrivately.ts'
import { developmentChainId } from '../../chain/developmentChain.ts'
import type { Config } from '../../config/config.ts'
import { presets } from '../../config/presets.ts'
import { toText } from '../../core/amount.ts'
import { createShared } from '../../core/createShared.ts'
import { display } from '../../core/display.ts'
import { BallastError, ballastError, usageError } from '../../core/errors.ts'
import { type Price, worthAt } from '../../core/price.ts'
import { minuteMs } from '../../core/spans.ts'
import { createDashboard } from '../../dashboard/createDashboard.ts'
import type { Queries } from '../../dashboard/queries.ts'
import type { Health, SwapStoryView } from '../../dashboard/views.ts'
import { explainSwap, lastChecks } from '../../story/explainSwap.ts'
import { strategyView } from '../reading/journalViews.ts'
import { createFirstSights, readAttention } from '../reading/readAttention.ts'
import { readFigures } from '../reading/readFigures.ts'
import { createLook, type Look } from './createLook.ts'
import { keepPlans } from './keepPlans.ts'
import { pageQueries } from './pageQueries.ts'
import type { Served } from './served.ts'

/** What a running bot shows of itself. */
export type Shown = {
  /** Of its pages; undefined where it has none. */
  readonly url: string | undefined
  /** With the balance of the coin alone, as of half a minute ago at most. */
  readonly health: () => Promise<Health>
  close(): Promise<void>
}

/** Looks after the health of a bot whose pages another process serves. */
export async function watchOnly(served: Served): Promise<Shown> {
  return { url: undefined, health: watchHealth(served, briefly(served)), close: async () => {} }
}

/** Serves the pages of a running bot, at a `port` other than the configured one where that is given. */
export async function serveDashboard(served: Served, given: number | undefined): Promise<Shown> {
  const { config, clock } = served
  const { socket, tokens, tls, host, port: configured } = config.dashboard
  const port = given ?? configured
  if (socket !== undefined && given !== undefined)
    throw usageError('--port has no meaning at dashboard.socket: remove one of them.')
  const sources = sourcesOf(served)
  const dashboard = createDashboard({
    ...sources,
    ...{ clock, host, port, tokens, tls },
    socket: socket === undefined ? undefined : privateSocket(socket),
  })
  const { url } = await dashboard.listen().catch((error: unknown) => {
    if (!(error instanceof BallastError) || error.code !== 'PORT_IN_USE') throw error
    const at = config.locate(['dashboard', 'port'])
    throw new BallastError(
      `Port ${port} is in use: choose another with --port, or as dashboard.port at ${at}.`,
      { code: error.code, remedy: error.remedy, fault: error.fault, cause: error },
    )
  })
  return { url, health: watchHealth(served, briefly(served)), close: dashboard.close }
}

/** What alerts need, at few calls. */
const briefly = (served: Served): Pick<Look, 'look'> => ({ look: createLook(served).brief })

/** What the pages of a bot read, and the one thing they change. */
export function sourcesOf(served: Served) {
  const look = createLook(served)
  return {
    queries: queriesOf(served, look),
    health: watchHealth(served, look),
    /** The same without a look at the chain. */
    blind: watchHealth(served, sightless),
    halt: (why: Parameters<typeof haltBy>[1]) => haltBy(served.journal, why),
    clock: served.clock,
  }
}

const sightless: Pick<Look, 'look'> = {
  look: async () => ({
    ...{ balances: [], gas: undefined, block: null },
    head: { problem: 'The node does not answer.' },
  }),
}

/** Halts a wallet by its journal, at the request of a page. */
export async function haltBy(
  { locks }: Pick<Served['journal'], 'locks'>,
  { reason, by }: { readonly reason: string; readonly by: string },
) {
  const { lock } = await locks.open({
    kind: 'halt',
    scope: 'all',
    code: 'BY_API',
    reason: display(reason, 1_000),
    expiresAt: undefined,
    by,
  })
  return lockText(lock)
}

/** A socket that only this user can open. */
export const privateSocket = (path: string) => ({
  path,
  bind: (listen: () => Promise<unknown>) =>
    listenPrivately(path, {
      listen,
      inUse: ballastError(
        'SOCKET_UNUSABLE',
        'Another process listens at dashboard.socket: end it, or write another path.',
        { socket: path },
      ),
    }),
})

function queriesOf(served: Served, look: Look): Queries {
  const { journal, strategies, clock, config } = served
  // Every row of the books is read, and a monitor scrapes every few seconds.
  const figures = createShared({
    ask: (of: Config) => readFigures(journal, of),
    nameOf: () => 'figures',
    keptMs: minuteMs,
    clock,
  })
  return {
    figures: async () => (await figures(config)).value,
    ...keepPlans(served),
    ...pageQueries(served, look),
    swaps: (page) => journal.swaps.history(page),
    swap: (id) => journal.swaps.record(id),
    story: (id) => storyOf(id, served),
    quote: (id) => journal.swaps.quoteBody(id),
    newest: async () => (await journal.log.lastEntry()).seq,
    locks: async () => (await journal.locks.live()).map(lockText),
    async strategies() {
      const latest = await journal.decisions.latest()
      const now = clock.now()
      return strategies().map((loaded) => strategyView(loaded, { latest, now }))
    },
  }
}

async function storyOf(
  id: string,
  { journal, config: { tokens } }: Served,
): Promise<SwapStoryView | undefined> {
  const [swap] = await journal.swaps.dossiers([id])
  if (swap === undefined) return undefined
  const { plan, quote, moved, attempts } = swap
  const { steps } = await explainSwap(swap, { journal, coin: tokens })
  const { sell, buy } = plan.intent
  const at = (price: Price | undefined) =>
    price === undefined ? undefined : { token: buy, wei: worthAt(price, sell).wei }
  const prices = [
    ['Indication when it was decided', at(plan.indication)],
    ['Firm quote', quote?.amountOut],
    ['Simulated', quote?.simulation.received],
    ['Received', moved?.received],
  ] as const
  return {
    steps,
    // Of a refusal as well: no quote is stored then, and the checks are what it was refused by.
    checks: lastChecks(await journal.log.ofSwap(id)),
    prices: prices.flatMap(([name, amount]) =>
      amount === undefined ? [] : [{ name, amount: toText(amount) }],
    ),
    minimum: quote === undefined ? null : toText(quote.minimum),
    source: quote?.source ?? null,
    attempts,
  }
}

/** The process as pages and monitors see it. What has no date of its own is dated by the first answer that had it. */
function watchHealth(served: Served, look: Pick<Look, 'look'>): () => Promise<Health> {
  const { mode, config, market, journal, strategies, troubleOf, refused, rules, clock } = served
  const { chain, wallet, tokens, database } = config
  const runningSince = served.runningSince ?? clock.now()
  const dated = createFirstSights()
  return async () => {
    const { head, gas, balances, block } = await look.look()
    const source = { journal, database, strategies: strategies(), clock, runningSince, troubleOf }
    const silences = market.silent()
    const unread = market.unread.silent()
    const seen = { head, gas, refused: refused(), silences, unread }
    const inForce = { config: { ...config, policy: rules().policy }, isLive: mode === 'live' }
    const { attention } = await readAttention({ ...source, ...inForce }, seen)
    return {
      ready: attention.length === 0,
      attention: dated(attention).map(attentionText),
      mode,
      sandbox: chain.chainId === developmentChainId,
      chain: chain.name,
      chainId: chain.chainId,
      currency: tokens.native.symbol,
      wallet: wallet.address,
      timeZone: config.dashboard.timeZone,
      explorer: presets.find((one) => one.chainId === chain.chainId)?.explorer ?? null,
      head: block,
      balances: balances.map(toText),
    }
  }
}
