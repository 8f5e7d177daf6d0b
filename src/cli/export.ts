import { resolve } from 'node:path'
import { journalName } from '../bot/journal/store/database.ts'
import { usageError } from '../core/errors.ts'
import { exports } from '../story/export/exports.ts'
import { type Format, type Sink, toFile, writeRows } from '../story/export/writeRows.ts'
import { type MonthSpan, monthSpan } from '../story/month/monthSpan.ts'
import { markMs } from '../story/month/statement.ts'
import { defineCommand } from './command.ts'
import { existingJournal } from './needs.ts'
import { assertInOrder, oneOf, paperOption, readInstant } from './options.ts'

const kinds = Object.keys(exports) as (keyof typeof exports)[]

const readKind = oneOf('--what', kinds)
const readFormat = oneOf<Format>('--format', ['csv', 'json'])

export const command = defineCommand({
  name: 'export',
  summary: 'swaps, decisions, slots, the ledger, books or lots as CSV or JSON',
  example: 'ballast export --what ledger --format csv --since 2026-11-01 --out november.csv',
  options: {
    what: {
      flags: '--what <kind>',
      summary: kinds.join(', '),
      required: true,
      read: readKind,
    },
    format: {
      flags: '--format <format>',
      summary: 'csv or json (csv; json with --json)',
      read: readFormat,
    },
    since: {
      flags: '--since <instant>',
      summary: 'from then on: 2026-11-20, or 2026-11-20T09:00:00Z',
      read: readInstant('--since'),
    },
    until: {
      flags: '--until <instant>',
      summary: 'up to that instant, without it',
      read: readInstant('--until'),
    },
    month: {
      flags: '--month <month>',
      summary: 'that month instead, journal and lots as its statement: 2026-10',
    },
    zone: { flags: '--zone <name>', summary: 'time zone of the month: Europe/Berlin (UTC)' },
    paper: paperOption,
    out: { flags: '--out <file>', summary: 'a new file; without it, stdout' },
  },
  config: 'journal',
  needs: { journal: existingJournal },
  async run({ config, journal, options, clock, cwd, json, signal, terminal }) {
    const { what, out } = options
    assertInOrder(options)
    const month = monthOf(options)
    const { since, until } = month ? { since: month.from, until: month.until } : options
    if (month !== undefined && clock.now() < month.until + markMs)
      terminal.note(
        `The month ${month.month} has no closing valuation yet: export it again when it is over by two hours.`,
      )
    const format = options.format ?? (json ? 'json' : 'csv')
    if (journal === undefined)
      terminal.note(
        `Nothing to export yet: there is no journal at ${journalName(config.database)}. It begins with: ballast run${options.paper ? ' --paper' : ''}`,
      )
    const wanted = journal && { journal, config, since, until, month }
    const write = (sink: Sink) => writeRows(exports[what], { wanted, format, sink, signal })
    if (out === undefined) {
      await write(terminal.data)
      return undefined
    }
    const file = resolve(cwd, out)
    return { file, what, format, rows: await toFile(file, write) }
  },
  text: ({ file, what, rows }) =>
    `${rows} ${rows === 1 ? 'row' : 'rows'} of ${what} written to ${file}`,
})

function monthOf({
  month,
  zone,
  since,
  until,
}: {
  readonly month?: string | undefined
  readonly zone?: string | undefined
  readonly since?: number | undefined
  readonly until?: number | undefined
}): MonthSpan | undefined {
  if (month === undefined) {
    if (zone !== undefined) throw usageError('--zone is of a month: name it with --month 2026-10.')
    return undefined
  }
  if (since !== undefined || until !== undefined)
    throw usageError('--month has its own begin and end: leave --since and --until out.')
  return monthSpan(month, zone ?? 'UTC')
}
