import { haltFileExists, haltOfFile, lockedError } from '../bot/journal/locks/guard.ts'
import { readJournal } from '../bot/journal/readJournal.ts'
import { journalExists } from '../bot/journal/schema/openDatabase.ts'
import { createCalendar } from '../bot/schedule/createCalendar.ts'
import { spentOf } from '../bot/spent.ts'
import type { Intent, Plan, Spent } from '../bot/stages.ts'
import type { Total } from '../bot/strategy/index.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Config } from '../config/config.ts'
import type { Amount } from '../core/amount.ts'
import { BallastError } from '../core/errors.ts'
import { compactJson } from '../core/json.ts'
import { withoutSecrets } from '../core/secret.ts'
import { dayMs } from '../core/spans.ts'
import { sameAddress, sameToken } from '../core/token.ts'
import { calendarOf } from '../engine/createSlotBook.ts'
import { newRecord } from '../engine/ledger.ts'
import type { CompleteOutlook, StrategyHistory } from './forecastTypes.ts'

/** The journal's facts, now and of instants to come. */
export type JournalOutlook = Pick<
  CompleteOutlook,
  'standing' | 'spent' | 'ofAllWallets' | 'goesOnAfter' | 'lock'
> & {
  /** The amounts that undecided swaps sell: they may still be in the wallet, and are not to be counted on. */
  readonly promised: readonly Amount[]
  /** The least that they bring the wallet. */
  readonly arriving: readonly Amount[]
  /** The gas cost of its last swaps; undefined before the first. */
  readonly swapGas: (strategy: string) => bigint | undefined
  close(): Promise<void>
}

const fresh: StrategyHistory = { ...newRecord.own, memory: undefined }

/**
 * Opens the journal to read it. Where there is none yet nothing was spent; where it cannot be read, `unknown` states
 * that and the plan starts from nothing.
 */
export async function openJournalOutlook(
  config: Config,
  {
    strategies,
    now,
    unknown,
  }: { strategies: readonly LoadedStrategy[]; now: number; unknown: string[] },
): Promise<JournalOutlook> {
  try {
    if (await journalExists(config.database)) return await read(config, { strategies, now })
  } catch (error) {
    if (!(error instanceof BallastError)) throw error
    unknown.push(
      `What was done so far is not known, so limits, cooldowns, budgets and locks start from nothing: ${reasonUnknown(error)}`,
    )
  }
  return {
    standing: () => fresh,
    spent: async (plan) => spentOf([], { plan, at: now, coin: undefined }),
    ofAllWallets: async () => ({ hour: 0n, day: 0n }),
    goesOnAfter: () => now,
    lock: async () =>
      haltFileExists(config.haltFile) ? lockedError(haltOfFile(config.haltFile)) : undefined,
    promised: [],
    arriving: [],
    swapGas: () => undefined,
    close: async () => {},
  }
}

async function read(
  { database, haltFile, tokens, wallet }: Config,
  { strategies, now }: { strategies: readonly LoadedStrategy[]; now: number },
): Promise<JournalOutlook> {
  // The journal's own sums and locks as they will stand at an instant to come, if nothing happens until then.
  let at = now
  const clock = { now: () => at, sleep: async () => {} }
  const journal = await readJournal({ database, haltFile, clock, coin: tokens })
  const standings = await Promise.all(
    strategies.map(({ name, params }) => journal.decisions.inputs(name, params)),
  )
  const byName = new Map(strategies.map(({ name }, index) => [name, standings[index]]))
  const begun = await Promise.all((await journal.swaps.open()).map((id) => journal.swaps.load(id)))
  const lastOver = new Map<string, number>()
  for (const one of strategies) lastOver.set(one.name, await lastSlotOver(journal, one, now))
  const locks = await journal.locks.live()
  const sums = new Map<string, Promise<Spent>>()
  const uses = new Map<number, ReturnType<CompleteOutlook['ofAllWallets']>>()
  const guarded = new Map<string, Promise<BallastError | undefined>>()
  const guard = (subject: Parameters<JournalOutlook['lock']>[0]) =>
    journal.locks.guard('plan', { wallet: wallet.address, ...subject }).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof BallastError && error.code === 'LOCKED') return error
        throw error
      },
    )
  // A day on, what was done until now is out of every window, and only what is open still counts.
  const lastSpent = (instant: number) => Math.min(instant, now + dayMs)
  return {
    standing(strategy) {
      const { totals, memory, ...known } = byName.get(strategy) ?? fresh
      const own = begun.flatMap(({ plan }) => (plan.strategy === strategy ? plan.intent : []))
      const ends = own.map(({ sell, floor }) => ({ at: now, price: { sold: sell, bought: floor } }))
      const fills = [...ends, ...known.fills]
      // A plan goes on from the end of what is under way: it is not to be begun a second time.
      return {
        inflight: [],
        lastFill: fills[0],
        fills,
        totals: own.reduce(withBegun, totals),
        memory,
      }
    },
    spent(plan: Plan, instant) {
      const until = lastSpent(instant)
      const { sell, buy } = plan.intent
      const key = [plan.strategy, sell.token.address, buy.address, until].join(' ')
      at = until
      const sum = sums.get(key) ?? journal.limits.spent(plan)
      sums.set(key, sum)
      return sum
    },
    ofAllWallets(instant) {
      const until = lastSpent(instant)
      at = until
      const use = uses.get(until) ?? journal.limits.ofAllWallets(database)
      uses.set(until, use)
      return use
    },
    goesOnAfter: (strategy) => lastOver.get(strategy) ?? now,
    async lock(subject, instant) {
      if (locks.every(({ expiresAt }) => expiresAt !== undefined && expiresAt <= instant))
        return undefined
      // The same until one of them ends.
      const ended = locks.filter(({ expiresAt }) => expiresAt !== undefined && expiresAt <= instant)
      const key = compactJson([subject, ended.length])
      at = instant
      const known = guarded.get(key) ?? guard(subject)
      guarded.set(key, known)
      return known
    },
    swapGas: (strategy) => byName.get(strategy)?.swapGas,
    promised: standings[0]?.open.map(({ sell }) => sell) ?? [],
    arriving: begun.flatMap(({ plan: { intent, recipient } }) =>
      sameAddress(recipient, wallet.address) ? intent.floor : [],
    ),
    close: journal.shut,
  }
}

/**
 * The last slot of a calendar that the bot does not come back to, were it started now: those behind it are due later by
 * their jitter, were postponed, or are made up for. Where the calendar begins now, or goes by a period, that is now.
 */
async function lastSlotOver(
  { slots }: Pick<Awaited<ReturnType<typeof readJournal>>, 'slots'>,
  { name, schedule }: LoadedStrategy,
  now: number,
): Promise<number> {
  if (schedule.kind !== 'cron') return now
  const closed = await slots.lastClosed(name)
  const calendar = calendarOf(schedule)
  // Older rows do not name their calendar.
  if (closed === undefined || (closed.calendar ?? calendar) !== calendar) return now
  const timetable = createCalendar({ name, schedule }, { after: closed.upto, now })
  const over = timetable.missed(now)?.missed.to ?? closed.upto
  // A swap that is under way counts as done, and slots are taken in order.
  const begun = await slots.begun({ strategy: name, from: over + 1, to: now })
  return begun.at(-1)?.slot ?? over
}

/** Totals with a swap that is under way, as if it had brought the least that it may. */
function withBegun(totals: readonly Total[], { sell, floor }: Intent): readonly Total[] {
  const isOf = ({ sold, bought, recovered }: Total) =>
    recovered !== true && sameToken(sold.token, sell.token) && sameToken(bought.token, floor.token)
  const before = totals.find(isOf)
  const { sold, bought, swaps } = before ?? {
    ...{ sold: { ...sell, wei: 0n }, bought: { ...floor, wei: 0n }, swaps: 0 },
  }
  const total: Total = {
    sold: { ...sold, wei: sold.wei + sell.wei },
    bought: { ...bought, wei: bought.wei + floor.wei },
    swaps: swaps + 1,
  }
  return [...totals.filter((one) => one !== before), total]
}

/** Why something is not known, in the words of what failed. Anything that is no failure of ours is thrown on. */
export function reasonUnknown(error: unknown): string {
  if (error instanceof BallastError) return withoutSecrets(error.summary)
  throw error
}
