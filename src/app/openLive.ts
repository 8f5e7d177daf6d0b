import type { Journal } from '../bot/journal/openJournal.ts'
import { drive, resume } from '../bot/life/drive.ts'
import type { Log } from '../bot/report/createLog.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import type { Token } from '../core/token.ts'
import type { Backend } from '../engine/backend.ts'
import type { OpenMarket } from '../engine/market.ts'
import { archiveDue } from './archiveDue.ts'
import { assertPresent, placeOf } from './assertTokens.ts'
import { callWith } from './calls.ts'
import { onceEach, openTrain } from './openTrain.ts'
import { reconcileDaily } from './reconcileWallet.ts'
import { recover } from './recover.ts'

type Live = {
  readonly config: Config
  readonly market: OpenMarket
  readonly clock: Clock
  readonly log: Log
}

/** Real money: a key, a journal of what is signed with it, and a chain that decides. */
export async function openLive({ config, market, clock, log }: Live): Promise<Backend> {
  await using opened = new AsyncDisposableStack()
  const onTrouble = onceEach((swapId, error) =>
    log.warn({ swapId, err: error }, 'trouble with a swap under way; it goes on'),
  )
  const train = opened.adopt(await openTrain({ config, market, clock, onTrouble }), (one) =>
    one.close(),
  )
  const { trainFor, journal, whole, signCheckpoint: sign } = train
  await assertKnown(journal, { config, market, log })
  opened.move()
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
    close: train.close,
  }
}

/**
 * Throws TOKEN_NOT_ON_CHAIN for a token that the journal never saw, where no swap is open: its address is wrong. One that
 * it saw is out of order: what is signed is followed, allowances are taken back and the other tokens trade.
 */
async function assertKnown(
  journal: Journal,
  { config, market, log }: Omit<Live, 'clock'>,
): Promise<void> {
  const absent = await market.absent()
  if (absent.length === 0) return
  const { chain, wallet } = config
  const seen = await journal.wallet.seenTokens({ chainId: chain.chainId, wallet: wallet.address })
  const isSeen = ({ address }: Token) => seen.includes(address.toLowerCase())
  // The journal may have seen nothing yet; what is signed is followed all the same.
  if ((await journal.swaps.open()).length === 0)
    assertPresent(
      absent.filter((token) => !isSeen(token)),
      placeOf(config),
    )
  for (const { symbol, address } of absent)
    log.warn({ token: symbol, address }, 'a token does not answer: what trades it waits')
}
