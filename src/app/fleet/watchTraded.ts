import type { AlertItem } from '../../bot/journal/alerts/alerts.ts'
import { openJournal } from '../../bot/journal/openJournal.ts'
import { openPaperJournal } from '../../bot/journal/openPaperJournal.ts'
import { readJournal } from '../../bot/journal/readJournal.ts'
import { journalExists } from '../../bot/journal/schema/openDatabase.ts'
import { attentionText, lockItem } from '../../bot/report/attention.ts'
import type { Log } from '../../bot/report/createLog.ts'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import { repeatUntil } from '../../core/repeat.ts'
import { minuteMs, secondMs } from '../../core/spans.ts'
import { createAlertTeller } from '../alerts/createAlertTeller.ts'
import { createHeartbeat } from '../alerts/createHeartbeat.ts'
import { openChannels } from '../alerts/openChannels.ts'
import { holdsWallet } from './holdsWallet.ts'
import type { Member } from './members.ts'

type Watching = {
  readonly paper: boolean
  /** The configuration of a wallet of the file, with who is told. */
  readonly configOf: (wallet: string) => Config
  readonly wallets: () => readonly string[]
  readonly present: () => Promise<readonly Member[]>
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

/** Longer than a worker that is gone, or restarted, leaves its wallets alone. */
const untradedMsMax = minuteMs
const pollMs = 5 * secondMs
/** A wallet that ends and is taken again, this often in this time, and that nobody traded for as long in all, is not traded either. */
const [gapsMin, gapsMs] = [3, 10 * minuteMs]

/** A time in which nobody traded a wallet; `until` is when that was seen last. */
type Gap = { readonly since: number; readonly until: number; readonly isOver: boolean }

/** The gaps of the last minutes, with what a look finds now. By a clock that was set back, they begin anew. */
export function gapsWith(
  gaps: readonly Gap[],
  { now, isTraded }: { readonly now: number; readonly isTraded: boolean },
): readonly Gap[] {
  const known = gaps.filter(
    ({ until, isOver }) => until <= now && (!isOver || now - until < gapsMs),
  )
  const last = known.at(-1)
  const open = last?.isOver === false ? last : undefined
  const over = known.filter(({ isOver }) => isOver)
  if (open === undefined && isTraded) return over
  return [...over, { since: open?.since ?? now, until: now, isOver: isTraded }]
}

/** Since when it counts as a wallet that nobody trades; undefined where it does not. */
export function untradedSince(gaps: readonly Gap[]): number | undefined {
  const last = gaps.at(-1)
  const lasts = ({ since, until }: Gap) => until - since
  if (last?.isOver === false && lasts(last) > untradedMsMax) return last.since
  const sum = gaps.reduce((ms, one) => ms + lasts(one), 0)
  return gaps.length >= gapsMin && sum > untradedMsMax ? gaps[0]?.since : undefined
}

/**
 * Tells that no process trades a wallet, which no process of that wallet can tell: through its channels, and by the
 * silence of the fleet's heartbeat. A wallet that is drained, or halted where a channel tells of it, is none.
 */
export async function watchTraded(watching: Watching): Promise<void> {
  const { wallets, present, configOf, clock, log, signal } = watching
  const gaps = new Map<string, readonly Gap[]>()
  const tellers = new Map<string, AbortController>()
  const ended = new Set<Promise<void>>()
  const sinceOf = (wallet: string) => untradedSince(gaps.get(wallet) ?? [])
  const untraded = () => [...gaps.keys()].filter((wallet) => sinceOf(wallet) !== undefined)

  async function look(): Promise<readonly Member[]> {
    const named = wallets()
    const members = await present()
    const traded = new Set(members.flatMap((member) => member.wallets))
    for (const wallet of named) {
      const found = { now: clock.now(), isTraded: traded.has(wallet) }
      gaps.set(wallet, gapsWith(gaps.get(wallet) ?? [], found))
    }
    for (const wallet of gaps.keys()) if (!named.includes(wallet)) gaps.delete(wallet)
    const missing = untraded()
    for (const [wallet, teller] of tellers)
      if (!missing.includes(wallet)) {
        teller.abort()
        tellers.delete(wallet)
      }
    for (const wallet of missing) {
      if (tellers.has(wallet)) continue
      const teller = new AbortController()
      tellers.set(wallet, teller)
      const told = tell(watching, { wallet, since: sinceOf(wallet) ?? 0, signal: teller.signal })
        .catch((error: unknown) => {
          log.error({ wallet, err: error }, 'alerts: nobody was told')
          // It is begun again at the next look; where there is no channel, it was told once.
          if (tellers.get(wallet) === teller) tellers.delete(wallet)
        })
        .finally(() => ended.delete(told))
      ended.add(told)
    }
    return members
  }

  const [first] = wallets()
  const heartbeat = first === undefined ? undefined : configOf(first).heartbeat
  const beating =
    heartbeat === undefined
      ? undefined
      : createHeartbeat({
          ...{ url: heartbeat, clock, log },
          // Where the processes cannot be known it throws, and the switch hears nothing.
          async hindrance() {
            const members = await look()
            const hindered = members.flatMap((member) => member.blind)
            const missing = await withoutLocked(untraded(), watching)
            const [wallet] = missing
            if (wallet !== undefined) return itemOf(wallet, sinceOf(wallet) ?? 0)
            return hindered.length === 0 ? undefined : { code: 'WALLET_HINDERED' }
          },
        })
  const beats = beating?.run(signal)
  await repeatUntil(signal, { everyMs: pollMs, clock }, () =>
    look().catch((error: unknown) => log.warn({ err: error }, 'the processes are not known')),
  )
  for (const teller of tellers.values()) teller.abort()
  await Promise.all([...ended, beats])
  await beating?.close()
}

const itemOf = (wallet: string, since: number): AlertItem => ({
  kind: 'look',
  code: 'WALLET_NOT_TRADED',
  severity: 'critical',
  subject: wallet,
  since: new Date(since).toISOString(),
  sentence: `No process trades the wallet ${wallet}, or each ends soon.`,
  next: 'see whether workers run, and what their logs say of it: ballast status',
})

/** Those that no person drained, and where there is a channel, which tells of it, none that is halted. */
async function withoutLocked(
  names: readonly string[],
  { configOf, clock }: Watching,
): Promise<readonly string[]> {
  const held = await Promise.all(
    names.map(async (name) => {
      const { database, haltFile, wallet, channels } = configOf(name)
      const isTold = Object.keys(channels).length > 0
      if (!(await journalExists(database))) return false
      const journal = await readJournal({ database, haltFile, clock })
      try {
        const open = (await journal.swaps.open()).length
        const locks = (await journal.locks.live()).filter(({ kind }) => isTold || kind === 'drain')
        return holdsWallet(locks, { ...wallet, open })
      } finally {
        await journal.shut()
      }
    }),
  )
  return names.filter((_, index) => held[index] !== true)
}

/** Tells it until the signal, and the locks that hold. That it is over is told by the process that trades it again. */
async function tell(
  { paper, configOf, clock, log }: Watching,
  { wallet, since, signal }: { wallet: string; since: number; signal: AbortSignal },
): Promise<void> {
  log.error({ wallet, code: 'WALLET_NOT_TRADED' }, `no process trades the wallet ${wallet}`)
  const config = configOf(wallet)
  const channels = openChannels(config.channels, log)
  if (channels.length === 0) return
  const { database, haltFile, chain, tokens: coin } = config
  const journal = paper
    ? await openPaperJournal({ database, haltFile, clock, coin })
    : await openJournal({ database, haltFile, clock, coin })
  const source = {
    ...{ chainId: chain.chainId, wallet: config.wallet.address },
    mode: paper ? ('paper' as const) : ('live' as const),
  }
  const teller = createAlertTeller({
    ...{ journal, channels, source, clock, log, signal },
    hours: () => config.alerts,
    currency: coin.native.symbol,
  })
  try {
    await repeatUntil(signal, { everyMs: pollMs, clock }, async () => {
      const locks = await journal.locks.live()
      // The process of a halt may have ended before it told of it. What a person means to last is no news.
      const items = locks
        .map((lock) => attentionText(lockItem(lock)))
        .filter(({ severity }) => severity !== 'info')
      const open = (await journal.swaps.open()).length
      const isWanted = holdsWallet(locks, { ...config.wallet, open })
      await teller.begin(isWanted ? items : [...items, itemOf(wallet, since)])
      await teller.deliver()
    })
  } finally {
    await teller.close()
    await journal.shut()
  }
}
