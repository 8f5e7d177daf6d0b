import { resolve } from 'node:path'
import { onPaper, paperOption } from '../app/onPaper.ts'
import { readJournal } from '../bot/journal/readJournal.ts'
import { journalExists } from '../bot/journal/schema/openDatabase.ts'
import { journalName } from '../bot/journal/store/database.ts'
import { exports } from '../story/export/exports.ts'
import { toFile } from '../story/export/toFile.ts'
import { type Format, type Sink, writeRows } from '../story/export/writeRows.ts'
import { defineCommand } from './command.ts'
import { oneOf } from './options/oneOf.ts'
import { readInstant } from './options/readInstant.ts'

const kinds = Object.keys(exports) as (keyof typeof exports)[]

const readKind = oneOf('--what', kinds)
const readFormat = oneOf<Format>('--format', ['csv', 'json'])

export const command = defineCommand({
  name: 'export',
  summary: 'swaps, decisions, slots or the ledger as CSV or JSON',
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
    paper: paperOption,
    out: { flags: '--out <file>', summary: 'a new file; without it, stdout' },
  },
  async run({ config: load, options, clock, cwd, json, signal, terminal }) {
    const written = await load('journal')
    const config = options.paper ? onPaper(written) : written
    const { database, haltFile } = config
    const { what, since, until, out } = options
    const format = options.format ?? (json ? 'json' : 'csv')
    const there = await journalExists(database)
    if (!there)
      terminal.note(
        `Nothing to export yet: there is no journal at ${journalName(database)}. It begins with: ballast run${options.paper ? ' --paper' : ''}`,
      )
    const journal = there ? await readJournal({ database, haltFile, clock }) : undefined
    try {
      const wanted = journal && { journal, config, since, until }
      const write = (sink: Sink) => writeRows(exports[what], { wanted, format, sink, signal })
      if (out === undefined) {
        await write(terminal.data)
        return
      }
      const file = resolve(cwd, out)
      const rows = await toFile(file, write)
      if (json) terminal.json({ file, what, format, rows })
      else terminal.out(`${rows} ${rows === 1 ? 'row' : 'rows'} of ${what} written to ${file}`)
    } finally {
      await journal?.shut()
    }
  },
})
