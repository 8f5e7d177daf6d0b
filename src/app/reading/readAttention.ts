import type { JournalReader } from '../../bot/journal/readJournal.ts'
import type { Database } from '../../bot/journal/store/database.ts'
import { diskOf } from '../../bot/journal/store/disk.ts'
import { type Attention, type AttentionFacts, attentionOf } from '../../bot/report/attention.ts'
import { lateMsOf } from '../../bot/schedule/createCalendar.ts'
import { dueAt, nextSlot } from '../../bot/schedule/slots.ts'
import type { LoadedStrategy } from '../../bot/strategy/load.ts'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import { dayMs, secondMs } from '../../core/spans.ts'
import { calendarOf } from '../../engine/createSlotBook.ts'
import { liabilityText } from './journalViews.ts'

type Source = {
  readonly journal: Pick<
    JournalReader,
    | 'locks'
    | 'slots'
    | 'swaps'
    | 'decisions'
    | 'archiving'
    | 'alerts'
    | 'allowances'
    | 'reconciliation'
  >
  readonly database: Database
  /** What is in force. */
  readonly config: Pick<Config, 'chain' | 'wallet' | 'tokens' | 'policy' | 'service' | 'journal'>
  /** Whether the wallet's money is real: books on paper are compared with nothing, and never archived. */
  readonly isLive: boolean
  readonly strategies: readonly LoadedStrategy[]
  readonly clock: Clock
  /** Milliseconds since the epoch; undefined where no process spends from the journal. */
  readonly runningSince: number | undefined
  /** Why the last look of a strategy failed, where this process knows. */
  readonly troubleOf?: (strategy: string) => string | undefined
}

/** Slots named at most: a person looks at least once a day; `export --what slots` has all of them. */
export const undoneMax = 20

/** Missed or failed slots as they go out as JSON: instants as ISO 8601. */
export function undoneText({
  strategy,
  slot,
  upto,
  slots,
  state,
  reason,
}: AttentionFacts['undone'][number]) {
  const [from, until] = [slot, upto].map((at) => new Date(at).toISOString())
  return { strategy, slots, from, until, state, reason }
}

/**
 * What a person must know now, by the journal and its volume, and by the chain where that was looked at. Beside it the
 * missed and failed slots and the locks that it was made of.
 */
export async function readAttention(
  { journal, database, config, isLive, strategies, clock, runningSince, troubleOf }: Source,
  seen: Pick<AttentionFacts, 'head' | 'gas' | 'refused' | 'silences' | 'unread'> = {},
) {
  const now = clock.now()
  const locks = await journal.locks.live()
  const undone = await journal.slots.missedAndFailed({ since: now - dayMs, limit: undoneMax })
  const latest = await journal.decisions.latest()
  const facts: AttentionFacts = {
    ...seen,
    now,
    locks,
    undone,
    swaps: await openSwapsOf(journal),
    strategies: await Promise.all(
      strategies.map(async ({ name, schedule }) => {
        const last = latest.find(({ strategy }) => strategy === name)
        return {
          name,
          periodMs:
            schedule.kind === 'every'
              ? (schedule.seconds + (schedule.jitter ?? 0)) * secondMs
              : undefined,
          owed: await owedSlot(journal, { name, schedule, now }),
          decidedAt: last?.at,
          nextAt: nextSlot(schedule, now),
          trouble: troubleOf?.(name),
          freeSince:
            runningSince === undefined
              ? undefined
              : await journal.locks.lastEnd({ strategy: name, since: runningSince }),
          wish:
            last === undefined || last.kind === 'wait'
              ? undefined
              : await journal.decisions.wish({ strategy: name }),
        }
      }),
    ),
    ...{ runningSince, cooldownMs: config.policy.cooldownMs },
    disk: diskOf(database),
    ...(isLive ? await moneyFacts(journal, config) : {}),
    undelivered: await journal.alerts.undelivered(),
  }
  return { attention: attentionOf(facts), locks, undone, latest }
}

async function moneyFacts(
  journal: Source['journal'],
  config: Source['config'],
): Promise<Pick<AttentionFacts, 'archive' | 'proven' | 'allowances'>> {
  const owner = { chainId: config.chain.chainId, wallet: config.wallet.address }
  const mark = await journal.reconciliation.mark({ ...owner, since: 0 })
  const left = await journal.allowances.liabilities(owner)
  return {
    archive: await archiveFacts(journal, config.journal.retentionMs),
    proven: { at: mark?.at },
    allowances: left.flatMap((one) => {
      const { amount, spender, isStated } = liabilityText(one, config)
      return isStated ? [] : [{ amount, spender, at: one.at }]
    }),
  }
}

async function archiveFacts({ archiving }: Source['journal'], retentionMs: number | undefined) {
  if (retentionMs === undefined) return undefined
  const oldestAt = await archiving.oldestBody()
  return oldestAt === undefined ? undefined : { retentionMs, oldestAt }
}

type Owing = Pick<LoadedStrategy, 'name' | 'schedule'> & { readonly now: number }

/** The slot of a calendar that is due and not closed, if any; one that was never begun owes nothing. */
async function owedSlot({ slots }: Source['journal'], { name, schedule, now }: Owing) {
  if (schedule.kind !== 'cron') return undefined
  const closed = await slots.lastClosed(name)
  if (closed === undefined || closed.calendar !== calendarOf(schedule)) return undefined
  const slot = nextSlot(schedule, closed.upto)
  const due = dueAt({ name, schedule }, { slot, following: nextSlot(schedule, slot) })
  return due > now ? undefined : { slot, due, until: due + lateMsOf(schedule) }
}

async function openSwapsOf({ swaps }: Source['journal']): Promise<AttentionFacts['swaps']> {
  const found = await Promise.all(
    (await swaps.open()).map(async (id) => {
      const record = await swaps.record(id)
      if (record === undefined) return []
      const { deadline } = await swaps.load(id)
      return {
        ...{ id, strategy: record.strategy, state: record.state },
        createdAt: Date.parse(record.createdAt),
        deadline: deadline === undefined ? undefined : deadline * secondMs,
      }
    }),
  )
  return found.flat()
}

/**
 * Dates what has no date of its own (gas, disk, an endpoint that is away) by its first sight: the same item keeps its
 * first instant until it is gone.
 */
export function createFirstSights() {
  let known = new Map<string, number>()
  return (items: readonly Attention[]): readonly Attention[] => {
    const dated = items.map((item) => {
      const since = known.get(`${item.code} ${item.subject}`) ?? item.since
      return { ...item, since: Math.min(since, item.since) }
    })
    known = new Map(dated.map(({ code, subject, since }) => [`${code} ${subject}`, since]))
    return dated
  }
}
