import type { AlertItem, AlertSource } from '../../bot/journal/alerts/alerts.ts'
import type { UnsignedJournal } from '../../bot/journal/createUnsigned.ts'
import { formatDecimal } from '../../core/decimal.ts'
import { dayMs } from '../../core/spans.ts'

type Day = {
  readonly journal: Pick<UnsignedJournal, 'countBooks'>
  readonly source: Pick<AlertSource, 'chainId' | 'wallet'>
  /** What needs attention now. */
  readonly items: readonly AlertItem[]
  readonly date: string
  /** Symbol of the chain's own currency. */
  readonly currency: string
  readonly now: number
}

/** Decimals of every chain's own currency. */
const coinDecimals = 18

/** The message that sums up the last 24 hours: sent although nothing happened, so that silence means something. */
export async function digestOf({
  journal,
  source,
  items,
  date,
  currency,
  now,
}: Day): Promise<AlertItem> {
  const { swaps, slots, writtenOff, gasPaidWei } = await journal.countBooks({
    ...source,
    since: now - dayMs,
  })
  const codes = [...new Set(items.map(({ code }) => code))]
  const named = codes.map((code) => namedIn(items.filter((item) => item.code === code)))
  const sentences = [
    `Swaps of the last 24 hours: ${counted(swaps)}.`,
    ...(writtenOff === 0 ? [] : [`Written off by a person, of these: ${writtenOff}.`]),
    `Calendar slots: ${counted(slots)}.`,
    `Gas: ${formatDecimal(gasPaidWei, coinDecimals)} ${currency}.`,
    codes.length === 0
      ? 'Nothing needs attention now.'
      : `Needs attention now: ${named.join(', ')}.`,
  ]
  return {
    ...{ kind: 'digest', code: 'DAILY_DIGEST', severity: 'info', subject: date },
    since: new Date(now - dayMs).toISOString(),
    sentence: sentences.join(' '),
    next: 'ballast report',
  }
}

/** Subjects named of one code: a person looks at the rest. */
const subjectsMax = 3

/** A code, and what it is about. */
function namedIn(items: readonly AlertItem[]): string {
  const subjects = items.slice(0, subjectsMax).map(({ subject }) => subject)
  const more = items.length - subjects.length
  return `${items[0]?.code} (${subjects.join(', ')}${more > 0 ? ` and ${more} more` : ''})`
}

const counted = (states: ReadonlyMap<string, number>) =>
  states.size === 0
    ? 'none'
    : [...states]
        .sort()
        .map(([state, count]) => `${count} ${state}`)
        .join(', ')
