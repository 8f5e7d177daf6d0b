import { createLog } from '../bot/report/createLog.ts'
import { endLine } from '../bot/report/endLine.ts'
import { createSchedule } from '../bot/schedule/createSchedule.ts'
import type { LoadedStrategy } from '../bot/strategy/checkStrategies.ts'
import type { Config } from '../config/config.ts'
import type { Change } from '../config/diffConfig.ts'
import type { Amount } from '../core/amount.ts'
import { BallastError } from '../core/errors.ts'
import { defineCommand } from './command.ts'
import { createBreakers } from './compose/createBreakers.ts'
import { createLane } from './compose/createLane.ts'
import { createReload } from './compose/createReload.ts'
import { createReserved } from './compose/createReserved.ts'
import { createSlotBook } from './compose/createSlotBook.ts'
import { createTick } from './compose/createTick.ts'
import { finishOpen } from './compose/finishOpen.ts'
import { openLive } from './compose/openLive.ts'
import { openMarket } from './compose/openMarket.ts'
import { openLook } from './compose/openObserver.ts'
import { balancesOf } from './compose/paper/balancesOf.ts'
import { onPaper } from './compose/paper/onPaper.ts'
import { openPaper } from './compose/paper/openPaper.ts'
import { resumeCall } from './compose/resumeCall.ts'
import { serveDashboard } from './compose/serveDashboard.ts'
import { strategyInForce } from './compose/strategyInForce.ts'
import { watchLocks } from './compose/watchLocks.ts'
import { wholeNumber } from './wholeNumber.ts'

export const command = defineCommand({
  name: 'run',
  summary: 'the unattended bot',
  example: 'ballast run --config ballast.yaml',
  options: {
    port: {
      flags: '--port <n>',
      summary: 'of the dashboard; without it, dashboard.port',
      read: wholeNumber({ name: '--port', min: 0, max: 65_535 }),
    },
    paper: { flags: '--paper', summary: 'with virtual money and no key: books what it would do' },
    balances: {
      flags: '--balances <list>',
      summary: 'with --paper: begins with these and nothing else, such as "10 ETH, 5 WETH"',
    },
  },
  async run(invocation) {
    const { configFile, environment, cwd, options, clock, json, signal, halt, terminal } =
      invocation
    const reload = createReload({
      configFile,
      environment,
      cwd,
      needs: options.paper ? 'market' : 'everything',
    })
    const inForce = ({ config, strategies } = reload.current()) => ({
      config: options.paper ? onPaper(config) : config,
      strategies,
    })
    const { config, strategies } = inForce()
    const balances = openingOf(options, config)
    const currency = config.tokens.native.symbol
    const log = createLog({ level: config.logLevel, sink: terminal.note })
    const say = json ? (line: string) => log.info(line) : terminal.out

    const failed = new AbortController()
    const drained = new AbortController()
    const done = new AbortController()
    const stopping = AbortSignal.any([signal, failed.signal])
    const real = await openMarket(config, clock)
    const parts = { config, market: real, clock }
    const opening = options.paper ? openPaper({ ...parts, balances }) : openLive({ ...parts, log })
    const engine = await opening.catch(async (error: unknown) => {
      await real.close()
      throw error
    })
    const { market, journal, mode } = engine
    const dashboard = await serveDashboard({
      mode,
      config,
      market,
      journal,
      strategies: () => reload.current().strategies,
      port: options.port,
      clock,
    }).catch(async (error: unknown) => {
      await engine.close()
      await real.close()
      throw error
    })
    const breakers = createBreakers({ config, journal, market, clock, log })
    let watching: Promise<void> | undefined
    let comparing: Promise<void> | undefined
    try {
      say(
        `BALLAST ${config.wallet.name} ${config.wallet.address} on ${config.chain.name} · ${dashboard.url} · pid ${process.pid}`,
      )
      watching = watchLocks({
        journal,
        wallet: config.wallet.address,
        clock,
        log,
        say,
        halt,
        signal: done.signal,
        onHalt: (error) => failed.abort(error),
        onDrain: () => drained.abort(),
      }).catch((error: unknown) => failed.abort(error))
      for (const line of engine.opening) say(line)
      await engine.recover({
        signal: stopping,
        log,
        onResumed: async (swapId) => {
          await breakers.atEnd(swapId)
          const record = await journal.swaps.record(swapId)
          if (record !== undefined) say(`RESUMED ${endLine(record, currency)}`)
          const auditHead = await journal.log.head()
          log.info({ swapId, state: record?.state, auditHead }, 'the swap is left')
        },
      })
      await engine.whole(stopping)
      comparing = engine
        .compare({ signal: done.signal, log })
        .catch((error: unknown) => failed.abort(error))
      const { reserved, forget } = createReserved({
        strategies: () => reload.current().strategies,
        ownStanding: journal.decisions.ownInputs,
        clock,
      })
      const tickOf = (current: Config, judge: typeof breakers) => {
        const running = reload.current()
        const ticking = {
          isInForce: () => reload.current() === running,
          config: current,
          journal,
          clock,
          driver: engine.driverFor(current),
          forget,
          appraise: market.appraise,
          look: openLook({
            config: current,
            market,
            standingOf: journal.decisions.inputs,
            reserved,
            clock,
            onHead: judge.atHead,
          }),
          breakers: judge,
          log,
          say,
          signal: stopping,
        }
        return { tick: createTick(ticking), finish: () => finishOpen(ticking) }
      }
      let asked = tickOf(config, breakers)
      const lane = createLane()
      const book = createSlotBook({ journal, finishOpen: () => lane(() => asked.finish()), clock })
      const schedule = createSchedule({
        entries: await book.placed(strategies),
        clock,
        signal: AbortSignal.any([stopping, drained.signal]),
        // Looked up when it is its turn: what was taken out while it waited behind a swap begins no other.
        tick: (entry: LoadedStrategy, slot) =>
          lane(async () => {
            const current = strategyInForce(reload.current().strategies, entry)
            return current === undefined ? 'open' : asked.tick(current, slot)
          }, entry.priority),
        async onMissed(entry, missed, reason) {
          await book.missed(entry, missed, reason)
          log.warn({ strategy: entry.name, ...missed }, reason)
          const from = new Date(missed.from).toISOString()
          say(`MISSED  ${entry.name}: ${missed.count} from ${from} on: ${reason}`)
        },
        onError(error, entry) {
          if (stopping.aborted) return
          const known = error instanceof BallastError
          log.error({ strategy: entry.name, err: error }, known ? error.summary : 'a tick failed')
          if (!known || error.remedy === 'halt') failed.abort(error)
        },
      })
      invocation.onHangUp(reload.ask)
      const following = reload
        .watch({
          clock,
          signal: done.signal,
          async onChange(running, changes) {
            const next = inForce(running)
            // What a tick has begun ends under the rules it began with.
            asked = tickOf(next.config, createBreakers({ ...parts, ...engine, ...next, log }))
            schedule.replace(await book.placed(next.strategies))
            say(changesText(changes))
          },
          onProblem(problem) {
            log.error({ err: problem }, problem.summary)
            say(`CONFIG  not taken over, the last good one stays: ${problem.summary}`)
          },
        })
        .catch((error: unknown) => failed.abort(error))
      await schedule.run()
      done.abort()
      await following
      if (failed.signal.aborted) throw failed.signal.reason
      if (drained.signal.aborted)
        say(
          `DRAINED: what had begun is decided. Go on with: ${resumeCall(configFile)}${options.paper ? ' --paper' : ''}`,
        )
      for (const line of await engine.closing(configFile)) say(line)
    } finally {
      done.abort()
      await watching
      await comparing
      log.info({ auditHead: await journal.log.head() }, 'stopped')
      await dashboard.close()
      await engine.close()
      await real.close()
    }
  },
})

function openingOf(
  { paper, balances }: { paper: boolean; balances: string | undefined },
  config: Config,
): readonly Amount[] | undefined {
  if (balances === undefined) return undefined
  if (paper) return balancesOf(balances, config)
  throw new BallastError('--balances is virtual money: it goes with --paper.', {
    code: 'USAGE',
    remedy: 'skip',
    fault: 'usage',
  })
}

/** What was taken over, a line each. */
function changesText(changes: readonly Change[]): string {
  const shown = (value: unknown) =>
    value === undefined ? 'nothing' : Array.isArray(value) ? `[${value.join(', ')}]` : String(value)
  if (changes.length === 0) return 'CONFIG  read again: nothing has changed'
  return changes
    .map(({ path, from, to }) => `CONFIG  ${path.join('.')}: ${shown(from)} -> ${shown(to)}`)
    .join('\n')
}
