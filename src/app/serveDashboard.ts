import type { UnsignedJournal } from '../bot/journal/createUnsigned.ts'
import { lockText } from '../bot/lock/lockText.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import { erc20Abi } from '../chain/abi/contracts.ts'
import { getBalance } from '../chain/calls/account.ts'
import { getBlock } from '../chain/calls/node.ts'
import { readContract } from '../chain/calls/readContract.ts'
import type { Config } from '../config/config.ts'
import { toText } from '../core/amount.ts'
import type { Clock } from '../core/clock.ts'
import { createShared } from '../core/createShared.ts'
import { display } from '../core/display.ts'
import { BallastError } from '../core/errors.ts'
import { minuteMs } from '../core/spans.ts'
import { isNative } from '../core/token.ts'
import { createDashboard } from '../dashboard/createDashboard.ts'
import type { Health, Queries } from '../dashboard/queries.ts'
import type { OpenMarket } from '../engine/market.ts'
import { makePlan } from '../forecast/forecastPlan.ts'
import { strategyView } from './journalViews.ts'

/** The id every development chain of this kind goes by; its money and its prices are made up. */
const developmentChainId = 31_337

/** A head older than this is a node that does not follow the chain. */
const headAgeMsMax = minuteMs

type Served = {
  readonly mode: Health['mode']
  readonly config: Config
  readonly market: OpenMarket
  readonly journal: UnsignedJournal
  /** The strategies that run now. */
  readonly strategies: () => readonly LoadedStrategy[]
  readonly clock: Clock
  /** Instead of the configured one. */
  readonly port: number | undefined
}

/** Serves the status page of a running bot. */
export async function serveDashboard(served: Served) {
  const { config, clock, port = config.dashboard.port } = served
  const dashboard = createDashboard({
    queries: queriesOf(served),
    health: () => healthOf(served),
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
    clock,
    host: config.dashboard.host,
    tokens: config.dashboard.tokens,
    port,
  })
  const { url } = await dashboard.listen().catch((error: unknown) => {
    if (!(error instanceof BallastError) || error.code !== 'PORT_IN_USE') throw error
    const at = config.locate(['dashboard', 'port'])
    throw new BallastError(
      `Port ${port} is in use: choose another with --port, or as dashboard.port at ${at}.`,
      { code: error.code, remedy: error.remedy, fault: error.fault, cause: error },
    )
  })
  return { url, close: dashboard.close }
}

function queriesOf(served: Served): Queries {
  const { journal, strategies, clock } = served
  return {
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

async function healthOf({ mode, config, market, clock }: Served): Promise<Health> {
  const { chain, wallet, tokens } = config
  const known = {
    mode,
    sandbox: chain.chainId === developmentChainId,
    chain: chain.name,
    chainId: chain.chainId,
    currency: tokens.native.symbol,
    wallet: wallet.address,
  }
  try {
    const listed = [...tokens.bySymbol.values()]
    const [head, ...balances] = await market.rpc.batch([
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
    const block = head.ok ? head.value : undefined
    const age = block === undefined ? undefined : clock.now() - block.timestamp * 1_000
    const problems = age === undefined || age > headAgeMsMax ? ['The chain stands still.'] : []
    return {
      ...known,
      ready: problems.length === 0,
      problems,
      head:
        block === undefined
          ? null
          : { block: block.number, at: new Date(block.timestamp * 1_000).toISOString() },
      balances: listed.flatMap((token, index) => {
        const outcome = balances[index]
        return outcome?.ok === true ? [toText({ token, wei: outcome.value })] : []
      }),
    }
  } catch (error) {
    if (!(error instanceof BallastError)) throw error
    return { ...known, ready: false, problems: [error.summary], head: null, balances: [] }
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
