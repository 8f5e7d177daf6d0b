import { drive, resume } from '../bot/drive.ts'
import { createLog } from '../bot/report/createLog.ts'
import { endLine } from '../bot/report/endLine.ts'
import { createSchedule } from '../bot/schedule/createSchedule.ts'
import { type LoadedStrategy, loadStrategies } from '../bot/strategy/load.ts'
import { BallastError } from '../core/errors.ts'
import { defineCommand } from './command.ts'
import { createBreakers } from './compose/createBreakers.ts'
import { createLane } from './compose/createLane.ts'
import { createReserved } from './compose/createReserved.ts'
import { createSlotBook } from './compose/createSlotBook.ts'
import { createTick } from './compose/createTick.ts'
import { onceEach } from './compose/onceEach.ts'
import { openMarket } from './compose/openMarket.ts'
import { openLook } from './compose/openObserver.ts'
import { openTrain } from './compose/openTrain.ts'
import { reconcileDaily } from './compose/reconcileDaily.ts'
import { recover } from './compose/recover.ts'
import { resumeCall } from './compose/resumeCall.ts'
import { serveDashboard } from './compose/serveDashboard.ts'
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
  },
  async run({ config: load, configFile, options, clock, json, signal, halt, terminal }) {
    const config = await load()
    const currency = config.tokens.native.symbol
    const log = createLog({ level: config.logLevel, sink: terminal.note })
    const strategies = await loadStrategies(config)
    const say = json ? (line: string) => log.info(line) : terminal.out

    const failed = new AbortController()
    const drained = new AbortController()
    const done = new AbortController()
    const stopping = AbortSignal.any([signal, failed.signal])
    const market = await openMarket(config, clock)
    const { train, journal, whole, close } = await openTrain({
      config,
      market,
      clock,
      onTrouble: onceEach((swapId, error) =>
        log.warn({ swapId, err: error }, 'trouble with a swap under way; it goes on'),
      ),
    }).catch(async (error: unknown) => {
      await market.close()
      throw error
    })
    const dashboard = await serveDashboard({
      config,
      market,
      journal,
      strategies,
      port: options.port,
      clock,
    }).catch(async (error: unknown) => {
      await close()
      await market.close()
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
      await recover({
        config,
        market,
        train,
        signal: stopping,
        onResumed: async (swapId) => {
          await breakers.atEnd(swapId)
          const record = await journal.record(swapId)
          if (record !== undefined) say(`RESUMED ${endLine(record, currency)}`)
          const auditHead = await journal.auditHead()
          log.info({ swapId, state: record?.state, auditHead }, 'the swap is left')
        },
        warn: (line) => log.warn(line),
      })
      await whole(stopping)
      comparing = reconcileDaily(
        { config, rpc: market.rpc, journal, clock },
        { signal: done.signal, log },
      ).catch((error: unknown) => failed.abort(error))
      const { reserved, forget } = createReserved({
        strategies: () => strategies,
        ownStanding: journal.ownStanding,
      })
      const tick = createTick({
        config,
        journal,
        clock,
        driver: {
          drive: (planned, at) => drive(planned, train, at),
          resume: (swapId, at) => resume(swapId, train, at),
        },
        forget,
        appraise: market.appraise,
        look: openLook({
          config,
          market,
          standingOf: journal.standingOf,
          reserved,
          clock,
          onHead: breakers.atHead,
        }),
        breakers,
        log,
        say,
        signal: stopping,
      })
      const lane = createLane()
      const book = createSlotBook({ journal, clock })
      const schedule = createSchedule({
        entries: await book.placed(strategies),
        clock,
        signal: AbortSignal.any([stopping, drained.signal]),
        tick: (entry: LoadedStrategy, slot) => lane(() => tick(entry, slot)),
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
      await schedule.run()
      if (failed.signal.aborted) throw failed.signal.reason
      if (drained.signal.aborted)
        say(`DRAINED: what had begun is decided. Go on with: ${resumeCall(configFile)}`)
    } finally {
      done.abort()
      await watching
      await comparing
      log.info({ auditHead: await journal.auditHead() }, 'stopped')
      await dashboard.close()
      await close()
      await market.close()
    }
  },
})
