import { drive, resume } from '../bot/life/drive.ts'
import type { Log } from '../bot/report/createLog.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import type { Backend } from '../engine/backend.ts'
import type { OpenMarket } from '../engine/market.ts'
import { archiveDue } from './archiveDue.ts'
import { callWith } from './calls.ts'
import { onceEach, openTrain } from './openTrain.ts'
import { reconcileDaily } from './reconcileWallet.ts'
import { recover } from './recover.ts'

/** Real money: a key, a journal of what is signed with it, and a chain that decides. */
export async function openLive({
  config,
  market,
  clock,
  log,
}: {
  config: Config
  market: OpenMarket
  clock: Clock
  log: Log
}): Promise<Backend> {
  const {
    trainFor,
    journal,
    whole,
    signCheckpoint: sign,
    close,
  } = await openTrain({
    config,
    market,
    clock,
    onTrouble: onceEach((swapId, error) =>
      log.warn({ swapId, err: error }, 'trouble with a swap under way; it goes on'),
    ),
  })
  return {
    mode: 'live',
    market,
    journal,
    driverFor(current) {
      const own = trainFor(current)
      return {
        drive: (planned, until) => drive(planned, own, until),
        resume: (swapId, until) => resume(swapId, own, until),
      }
    },
    recover: ({ signal, onResumed }) =>
      recover({
        config,
        market,
        train: trainFor(config),
        signal,
        onResumed,
        warn: (line) => log.warn(line),
      }),
    whole,
    async compare({ current, ...until }) {
      const archive = () => archiveDue({ config, journal, clock, sign, log })
      await archive()
      const reconciling = { config: current, rpc: market.rpc, journal, clock }
      await reconcileDaily(reconciling, { ...until, archive })
    },
    opening: [],
    closing: async (configFile) => [
      'STOPPED: whatever was signed is decided, or followed at the next start.',
      `Next: ${callWith(configFile, 'ballast report')}, what came of it; ${callWith(configFile, 'ballast run')} goes on`,
    ],
    close,
  }
}
