import type { AlertItem } from '../bot/journal/alerts/alerts.ts'
import type { UnsignedJournal } from '../bot/journal/createUnsigned.ts'
import { endLine, type Log } from '../bot/report/createLog.ts'
import { createSchedule } from '../bot/schedule/createSchedule.ts'
import { createTimeLimit } from '../bot/strategy/createTimeLimit.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Config } from '../config/config.ts'
import type { Change } from '../config/diffConfig.ts'
import type { Amount } from '../core/amount.ts'
import type { Clock } from '../core/clock.ts'
import { BallastError } from '../core/errors.ts'
import { failureReason } from '../core/failureReason.ts'
import { secondMs } from '../core/spans.ts'
import type { Backend } from '../engine/backend.ts'
import { type Clocks, createBreakers } from '../engine/createBreakers.ts'
import { createJournaledWorld } from '../engine/createJournaledWorld.ts'
import { createLane } from '../engine/createLane.ts'
import { createReserved } from '../engine/createReserved.ts'
import { createSlotBook } from '../engine/createSlotBook.ts'
import { openLook } from '../engine/look.ts'
import { strategyInForce } from '../engine/strategyInForce.ts'
import { turn } from '../engine/turn.ts'
import { watchLocks } from '../engine/watchLocks.ts'
import { createAlertTeller } from './alerts/createAlertTeller.ts'
import { createHeartbeat, hindranceIn } from './alerts/createHeartbeat.ts'
import { endItem } from './alerts/endItem.ts'
import { openChannels } from './alerts/openChannels.ts'
import { chainTime } from './chainNonce.ts'
import { createPriceWarnings } from './createPriceWarnings.ts'
import type { createReload, Running } from './createReload.ts'
import type { Shown } from './dashboard/serveDashboard.ts'
import type { Served } from './dashboard/served.ts'
import { followAftermath } from './followAftermath.ts'
import { assertStrategyPriced } from './livePrices.ts'
import { onPaper } from './onPaper.ts'
import { openLive } from './openLive.ts'
import { openMarket } from './openMarket.ts'
import { openPaper } from './openPaper.ts'
import { changesLimits } from './reconcileWallet.ts'
import { recordValuations } from './recordValuations.ts'
import { tellForgotten } from './tellForgotten.ts'
import { tellUnlisted } from './tellUnlisted.ts'
import { waitAtStart } from './waitAtStart.ts'

type Opening = {
  /** The configuration with its strategies, and its changes while the engine runs. */
  readonly reload: Pick<ReturnType<typeof createReload>, 'current' | 'watch' | 'refused'>
  /** Virtual money and no key. */
  readonly paper: boolean
  /** The balances at the beginning of the first run on paper; undefined for the wallet's own. */
  readonly balances: readonly Amount[] | undefined
  /** Shows what the bot does; in a fleet another process may. */
  readonly serve: (served: Served) => Promise<Shown>
  readonly clock: Clock
  readonly log: Log
  /** A line for a person. */
  readonly say: (line: string) => void
  /** Stops the engine: open swaps are decided, or followed at the next start. */
  readonly signal: AbortSignal
  /** Ends it when what is under way is decided: another process goes on, maybe by another file. */
  readonly leave?: AbortSignal
  /** Halts it: nothing more is signed. */
  readonly halt: AbortSignal
  /** The dead-man switch that this engine calls. A fleet calls its own, for all of its wallets. */
  readonly heartbeat?: Config['heartbeat']
  /** The file says what only a new start takes over; without it, a person starts it again. */
  readonly onOutdated?: (() => void) | undefined
}

/** The unattended bot as a value. Close it with `await using`. */
export type Engine = AsyncDisposable & {
  readonly config: Config
  readonly journal: UnsignedJournal
  /** Whether a dead-man switch is to hear nothing of it. */
  isHindered(): Promise<boolean>
  /** Undefined where it shows no pages. */
  readonly dashboardUrl: string | undefined
  /**
   * Decides what an earlier process left open, then takes the turns of the strategies until it is stopped or drained.
   * Throws the error that ended it.
   */
  run(): Promise<'stopped' | 'drained'>
  /** Lines for a person, when all is over. */
  closing(configFile: string): Promise<readonly string[]>
}

/** An engine and the signals by which its parts end each other. */
type Parts = Opening & {
  readonly backend: Backend
  readonly inForce: (running?: Running) => Running
  readonly breakers: ReturnType<typeof createBreakers>
  readonly clocks: Clocks
  /** What a person must know now. */
  readonly attention: () => Promise<readonly AlertItem[]>
  /** What keeps it from calling its dead-man switch. */
  readonly hindrance: () => Promise<AlertItem | undefined>
  /** By strategy: why its last turn failed. */
  readonly troubles: Map<string, string>
  readonly failed: AbortController
  readonly drained: AbortController
  /** The turns are over: what runs beside them ends. */
  readonly done: AbortController
  /** Stopped or failed: no further order begins. */
  readonly stopping: AbortSignal
}

/** What a fleet does without a person: it starts the wallet anew, or gives it back. */
const takenAnew: readonly string[] = ['CONFIG_NEEDS_RESTART', 'WALLET_NOT_NAMED']

/** Opens the market, the journal and the dashboard of a configuration. Closes what is open where a later part fails. */
export async function openEngine(opening: Opening): Promise<Engine> {
  const { reload, paper, balances, serve, clock, log, signal, onOutdated } = opening
  const limited = createTimeLimit()
  const inForce = ({ config, strategies } = reload.current()): Running => ({
    config: paper ? onPaper(config) : config,
    strategies: limited(strategies),
  })
  const { config, strategies: loaded } = inForce()
  if (!paper) for (const one of loaded) assertStrategyPriced(config, one)
  // A start that waits is over at a halt too; whoever opens it stores that.
  const waiting = { ...opening, signal: AbortSignal.any([signal, opening.halt]) }
  await using opened = new AsyncDisposableStack()
  const market = opened.adopt(await waitAtStart(() => openMarket(config, clock), waiting), (one) =>
    one.close(),
  )
  const parts = { config, market, clock }
  const backend = opened.adopt(
    await waitAtStart<Backend>(
      () => (paper ? openPaper({ ...parts, balances }) : openLive({ ...parts, log })),
      waiting,
    ),
    (one) => one.close(),
  )
  const { journal, mode } = backend
  const ofPages = createTimeLimit()
  const strategies = () => ofPages(reload.current().strategies)
  const troubles = new Map<string, string>()
  const dashboard = opened.adopt(
    await serve({
      mode,
      config,
      market: backend.market,
      journal,
      strategies,
      troubleOf: (name) => troubles.get(name),
      refused() {
        const found = reload.refused()
        const isTaken = onOutdated !== undefined && takenAnew.includes(found?.problem.code ?? '')
        return isTaken ? undefined : found
      },
      rules: () => inForce().config,
      clock,
    }),
    (one) => one.close(),
  )
  opened.defer(async () => log.info({ auditHead: await journal.log.head() }, 'stopped'))
  const failed = new AbortController()
  const clocks: Clocks = {}
  const attention = async () => (await dashboard.health()).attention
  const hindrance = async () => hindranceIn(await attention(), Object.keys(config.channels))
  const running: Parts = {
    ...opening,
    ...{ backend, inForce, troubles, failed },
    ...{ attention, hindrance, clocks },
    breakers: createBreakers({ config, journal, market: backend.market, clock, log, clocks }),
    drained: new AbortController(),
    done: new AbortController(),
    stopping: AbortSignal.any([signal, failed.signal]),
  }
  const owned = opened.move()
  return {
    config,
    journal,
    dashboardUrl: dashboard.url,
    isHindered: async () => (await hindrance()) !== undefined,
    run: () => runEngine(running),
    closing: backend.closing,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

async function runEngine(parts: Parts): Promise<'stopped' | 'drained'> {
  const { backend, inForce, clock, log, say, halt, failed, drained, done, stopping } = parts
  const { journal } = backend
  const fail = (error: unknown) => failed.abort(error)
  await using beside = new AsyncDisposableStack()
  /** Runs beside the turns until they are over. */
  const start = (work: Promise<void>) => {
    const ended = work.catch(fail)
    beside.defer(() => {
      done.abort()
      return ended
    })
  }
  start(
    watchLocks({
      ...{ journal, clock, log, say, halt },
      wallet: inForce().config.wallet.address,
      signal: done.signal,
      onHalt: fail,
      onDrain: () => drained.abort(),
      // What is signed is followed in the file that is still open; then a person looks.
      onMoved: (error) => drained.abort(error),
    }),
  )
  start(tell(parts))
  start(beat(parts))
  for (const line of backend.opening) say(line)
  try {
    await backend.recover({ signal: stopping, log, onResumed: (id) => showResumed(id, parts) })
    await parts.breakers.atStart()
    await backend.whole(stopping)
    const current = () => inForce().config
    start(backend.compare({ current, signal: done.signal, log }))
    const valuing = { config: current, ...backend, clock, log }
    start(recordValuations(valuing, done.signal))
    start(followAftermath({ config: inForce().config, ...backend, clock, log }, done.signal))
    const { schedule, follow } = await openSchedule(parts)
    start(follow())
    await schedule.run()
  } catch (error) {
    // Before the last round of alerts, which tells it.
    fail(error)
  }
  await beside.disposeAsync()
  const error = failureOf(parts)
  if (error !== undefined) throw error
  return drained.signal.aborted ? 'drained' : 'stopped'
}

/** What ended the engine; undefined where it was stopped, or drained by a person. */
function failureOf({ failed, drained }: Pick<Parts, 'failed' | 'drained'>): unknown {
  if (failed.signal.aborted) return failed.signal.reason
  return drained.signal.reason instanceof BallastError ? drained.signal.reason : undefined
}

/** 0 where none has one: a calendar looks at its slots alone. */
const longestPeriodMs = (strategies: readonly LoadedStrategy[]): number =>
  Math.max(
    0,
    ...strategies.map(({ schedule }) =>
      schedule.kind === 'every' ? (schedule.seconds + (schedule.jitter ?? 0)) * secondMs : 0,
    ),
  )

/** Tells the configured channels what needs attention, until the turns are over. */
async function tell(parts: Parts): Promise<void> {
  const { backend, inForce, attention, paper, clock, log, done, signal, onOutdated } = parts
  const { chain, wallet, tokens, ...config } = inForce().config
  const channels = openChannels(config.channels, log)
  // Nobody takes any more what waited for others. In a fleet another process does, at its next turn of this wallet.
  if (channels.length === 0 && (paper || onOutdated === undefined))
    return backend.journal.alerts
      .prune({ channels: [] })
      .catch((err: unknown) => log.error({ err }, 'alerts: what waits could not be forgotten'))
  const source = { chainId: chain.chainId, wallet: wallet.address, mode: backend.mode }
  const teller = createAlertTeller({
    ...{ journal: backend.journal, channels, source, clock, log },
    hours: () => inForce().config.alerts,
    currency: tokens.native.symbol,
    lookEveryMs: () => longestPeriodMs(inForce().strategies),
    signal: done.signal,
  })
  try {
    // Whoever stopped it knows, whatever a stop ended on its way. A fleet begins a wallet again by itself.
    const isTold = () => !signal.aborted && onOutdated === undefined
    await teller.run(attention, () =>
      isTold() ? endItem(failureOf(parts), clock.now()) : undefined,
    )
  } finally {
    await teller.close()
  }
}

/** Calls the dead-man switch until the turns are over. */
async function beat({ heartbeat: url, hindrance, clock, log, done }: Parts): Promise<void> {
  if (url === undefined) return
  const heartbeat = createHeartbeat({ url, hindrance, clock, log })
  try {
    await heartbeat.run(done.signal)
  } finally {
    await heartbeat.close()
  }
}

async function showResumed(swapId: string, { backend, breakers, log, say, inForce }: Parts) {
  const { journal } = backend
  await breakers.atEnd(swapId)
  const record = await journal.swaps.record(swapId)
  const currency = inForce().config.tokens.native.symbol
  if (record !== undefined) say(`RESUMED ${endLine(record, currency)}`)
  const auditHead = await journal.log.head()
  log.info({ swapId, state: record?.state, auditHead }, 'the swap is left')
}

/** The schedule of the strategies in force, and what follows the changes of the configuration. */
async function openSchedule(parts: Parts) {
  const { reload, backend, inForce, clock, log, say, failed, drained, done, stopping } = parts
  const { troubles, clocks, onOutdated, leave } = parts
  const { journal, market } = backend
  const worldFor = createWorlds(parts)
  let world = worldFor(inForce(), parts.breakers)
  const lane = createLane()
  const book = createSlotBook({
    journal,
    finishOpen: () => lane(() => world.books.finishOpen()),
    chainTime: () => chainTime(market.rpc),
    clock,
  })
  const { forgotten, inputs } = journal.decisions
  const tellChanged = async ({ config, strategies }: Running) => {
    await tellForgotten(strategies, { forgotten, inputs, say })
    await tellUnlisted(config, { valuations: journal.valuations, say })
  }
  let { strategies } = inForce()
  await tellChanged(inForce())
  const schedule = createSchedule({
    entries: await book.placed(strategies),
    clock,
    signal: AbortSignal.any([stopping, drained.signal, ...(leave === undefined ? [] : [leave])]),
    // Looked up when it is its turn: what was taken out while it waited behind a swap begins no other.
    tick: (entry: LoadedStrategy, slot) =>
      lane(async () => {
        const loaded = strategyInForce(inForce().strategies, entry)
        if (loaded === undefined) return 'open'
        const end = await turn(world, { loaded, slot })
        troubles.delete(entry.name)
        return end
      }, entry.priority),
    async onMissed(entry, unrecorded) {
      await book.missed(entry.name, unrecorded)
      const { missed, reason } = unrecorded
      log.warn({ strategy: entry.name, ...missed }, reason)
      const from = new Date(missed.from).toISOString()
      say(`MISSED  ${entry.name}: ${missed.count} from ${from} on: ${reason}`)
    },
    onError(error, entry) {
      if (stopping.aborted) return
      const known = error instanceof BallastError
      if (known) troubles.set(entry.name, `${failureReason(error)} (${error.code}).`)
      log.error({ strategy: entry.name, err: error }, known ? error.summary : 'a tick failed')
      if (!known || error.remedy === 'halt') failed.abort(error)
    },
  })
  const follow = () =>
    reload.watch({
      clock,
      signal: done.signal,
      async onChange(running, changes) {
        const next = inForce(running)
        if (changesLimits(changes)) {
          const { chain, wallet } = next.config
          await journal.reconciliation.forgetLimits({
            chainId: chain.chainId,
            wallet: wallet.address,
          })
        }
        // A turn ends under the rules it began with.
        world = worldFor(next, createBreakers({ ...next, journal, market, clock, log, clocks }))
        schedule.replace(await book.placed(next.strategies, strategies))
        strategies = next.strategies
        say(changesText(changes))
        await tellChanged(next)
      },
      onProblem(problem) {
        log.error({ err: problem }, problem.summary)
        const isTaken = problem.code === 'CONFIG_NEEDS_RESTART' && onOutdated !== undefined
        say(
          `CONFIG  ${isTaken ? 'this wallet starts anew for it' : 'not taken over, the last good one stays'}: ${problem.summary}`,
        )
        if (isTaken) onOutdated()
      },
    })
  return { schedule, follow }
}

/**
 * Makes the world of a configuration. The amounts strategies reserve are one record for all of them. A wallet that is given
 * back and that the file does not name any more begins no further swap of a decision: a halt of the file does not reach it.
 */
function createWorlds(parts: Parts) {
  const { reload, backend, paper, clock, log, say, stopping, leave } = parts
  const { journal, market, driverFor } = backend
  const { decisions } = journal
  const { reserved, forget } = createReserved({
    strategies: () => parts.inForce().strategies,
    standingOf: decisions.inputs,
    clock,
    broke: ({ name }, error) => parts.breakers.atBroken(name, error),
  })
  const isUnnamed = () => reload.refused()?.isUnnamed === true
  const unjudged = new Set<string>()
  const warnOfPrices = createPriceWarnings(log)
  return ({ config }: Running, breakers: Parts['breakers']) => {
    const current = reload.current()
    const onHead = breakers.atHead
    const look = openLook({ config, market, standingOf: decisions.inputs, reserved, clock, onHead })
    return createJournaledWorld({
      ...{ config, journal, clock, forget, breakers, unjudged, log, say },
      isInForce: () => reload.current() === current && !(isUnnamed() && leave?.aborted === true),
      // An intent may be of other tokens than its strategy watches, and a strategy may come later.
      assertPriced: (one, { sell, buy }) => {
        if (!paper) assertStrategyPriced(config, one, [sell.token, buy])
      },
      driver: driverFor(config),
      appraise: market.appraise,
      async look(loaded, slot) {
        const seen = await look(loaded, slot)
        const swapLimits = config.policy.perSwap
        warnOfPrices({ loaded, context: seen.context, swapLimits })
        return seen
      },
      ...{ signal: stopping, leave },
    })
  }
}

/** The keys that changed, a line each. */
function changesText(changes: readonly Change[]): string {
  const shown = (value: unknown) =>
    value === undefined ? 'nothing' : Array.isArray(value) ? `[${value.join(', ')}]` : String(value)
  if (changes.length === 0) return 'CONFIG  read again: nothing has changed'
  return changes
    .map(({ path, from, to }) => `CONFIG  ${path.join('.')}: ${shown(from)} -> ${shown(to)}`)
    .join('\n')
}
