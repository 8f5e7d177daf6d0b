import type { UnsignedJournal } from '../bot/journal/createUnsigned.ts'
import { lockText } from '../bot/lock/lockText.ts'
import { priorSwapGas } from '../bot/market/createMarket.ts'
import { attentionText } from '../bot/report/attention.ts'
import { listenPrivately } from '../bot/sign/process/listenPrivately.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import { erc20Abi } from '../chain/abi/contracts.ts'
import { getBalance } from '../chain/calls/account.ts'
import { getBlock } from '../chain/calls/node.ts'
import { readContract } from '../chain/calls/readContract.ts'
import type { Config } from '../config/config.ts'
import { type Amount, toText } from '../core/amount.ts'
import type { Clock } from '../core/clock.ts'
import { createShared } from '../core/createShared.ts'
import { display } from '../core/display.ts'
import { BallastError, ballastError, usageError } from '../core/errors.ts'
import { minuteMs, secondMs } from '../core/spans.ts'
import { isNative } from '../core/token.ts'
import { createDashboard } from '../dashboard/createDashboard.ts'
import type { Health, Queries } from '../dashboard/queries.ts'
import type { OpenMarket } from '../engine/market.ts'
import { makePlan } from '../forecast/forecastPlan.ts'
import { strategyView } from './journalViews.ts'
import { createFirstSights, readAttention } from './readAttention.ts'
import { readFigures } from './readFigures.ts'

/** The id every development chain of this kind goes by; its money and its prices are made up. */
const developmentChainId = 31_337

type Served = {
  readonly mode: Health['mode']
  readonly config: Config
  readonly market: OpenMarket
  readonly journal: UnsignedJournal
  /** The strategies that run now. */
  readonly strategies: () => readonly LoadedStrategy[]
  /** Why the last look of a strategy failed. */
  readonly troubleOf: (strategy: string) => string | undefined
  /** The policy that is in force now. */
  readonly policy: () => Config['policy']
  readonly clock: Clock
  /** Instead of the configured one. */
  readonly port: number | undefined
}

/** Serves the status page of a running bot. */
export async function serveDashboard(served: Served) {
  const { config, clock } = served
  const { socket, tokens, tls, host, port: configured } = config.dashboard
  const port = served.port ?? configured
  if (socket !== undefined && served.port !== undefined)
    throw usageError('--port has no meaning at dashboard.socket: remove one of them.')
  const health = watchHealth(served)
  const dashboard = createDashboard({
    queries: queriesOf(served),
    health,
    async halt(reason) {
      const { lock } = await served.journal.locks.open({
        kind: 'halt',
        scope: 'all',
        code: 'BY_API',
        reason: display(reason, 1_000),
        expiresAt: undefined,
      })
      return lockText(lock)
    },
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
  return { url, health, close: dashboard.close }
}

const privateSocket = (path: string) => ({
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

function queriesOf(served: Served): Queries {
  const { journal, strategies, clock, config } = served
  // Every row of the books is read, and a monitor scrapes every few seconds.
  const figures = createShared({
    ask: (database: Config['database']) => readFigures(journal, database),
    nameOf: () => 'figures',
    keptMs,
    clock,
  })
  return {
    figures: async () => (await figures(config.database)).value,
    plan: keepPlans(served),
    swaps: (page) => journal.swaps.history(page),
    swap: (id) => journal.swaps.record(id),
    locks: async () => (await journal.locks.live()).map(lockText),
    async strategies() {
      const latest = await journal.decisions.latest()
      const now = clock.now()
      return strategies().map((loaded) => strategyView(loaded, { latest, now }))
    },
  }
}

/** The process as pages and monitors see it. What has no date of its own is dated by the first answer that had it. */
function watchHealth(served: Served): () => Promise<Health> {
  const { mode, config, journal, strategies, troubleOf, clock } = served
  const { chain, wallet, tokens, database } = config
  const runningSince = clock.now()
  // Books on paper are never archived.
  const retentionMs = mode === 'live' ? config.journal.retentionMs : undefined
  const dated = createFirstSights()
  return async () => {
    const { head, gas, balances, block } = await lookAtChain(served)
    const source = { journal, database, strategies: strategies(), clock, runningSince, troubleOf }
    const { attention } = await readAttention({ ...source, retentionMs }, { head, gas })
    return {
      ready: attention.length === 0,
      attention: dated(attention).map(attentionText),
      mode,
      sandbox: chain.chainId === developmentChainId,
      chain: chain.name,
      chainId: chain.chainId,
      currency: tokens.native.symbol,
      wallet: wallet.address,
      head: block,
      balances: balances.map(toText),
    }
  }
}

/** The newest block and the wallet's balances, as far as the endpoint answers. */
async function lookAtChain(served: Served) {
  const { config, market, policy } = served
  const { wallet, tokens } = config
  const listed = [...tokens.bySymbol.values()]
  try {
    const [head, ...answers] = await market.rpc.batch([
      getBlock('latest'),
      ...listed.map((token) =>
        isNative(token)
          ? getBalance(wallet.address)
          : readContract({
              address: token.address,
              abi: erc20Abi,
              functionName: 'balanceOf',
              args: [wallet.address],
            }),
      ),
    ])
    const balances = listed.flatMap((token, index): Amount[] => {
      const outcome = answers[index]
      return outcome?.ok === true ? [{ token, wei: outcome.value }] : []
    })
    const held = balances.find(({ token }) => isNative(token))
    const { gasMax, gasPriceMax } = policy()
    const perSwap = { token: tokens.native, wei: priorSwapGas(gasMax) * gasPriceMax }
    // On paper gas is virtual: nobody can send any.
    const gas = held === undefined || served.mode === 'paper' ? undefined : { held, perSwap }
    if (!head.ok || head.value === undefined)
      return { balances, gas, head: { problem: 'The node gives no newest block.' }, block: null }
    const at = head.value.timestamp * secondMs
    const block = { block: head.value.number, at: new Date(at).toISOString() }
    return { balances, gas, head: { at }, block }
  } catch (error) {
    if (!(error instanceof BallastError)) throw error
    return { balances: [], gas: undefined, head: { problem: error.summary }, block: null }
  }
}

/** The page loads every few seconds, and a plan queries the market for every strategy. */
const keptMs = minuteMs

type Planned = {
  readonly config: Config
  readonly market: OpenMarket
  /** Those that run now. */
  readonly strategies: () => readonly LoadedStrategy[]
  readonly clock: Clock
}

/** Plans of the bot that runs, one a minute for each length. */
function keepPlans({ config, market, strategies, clock }: Planned) {
  const plans = createShared({
    ask: (spanMs: number) => {
      const now = strategies()
      // The bot goes on with its market after the plan.
      const openMarket = async () => ({ ...market, close: async () => {} })
      return makePlan({ config, strategies: now, shown: now, spanMs, clock, openMarket })
    },
    nameOf: String,
    keptMs,
    clock,
  })
  return async (spanMs: number) => (await plans(spanMs)).value
}
