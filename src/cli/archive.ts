import { join } from 'node:path'
import { signOnce } from '../app/checkpoints.ts'
import { archiveJournal, archiveName } from '../bot/journal/archiveJournal.ts'
import { copyProgress } from '../bot/journal/copyProgress.ts'
import { openJournal } from '../bot/journal/openJournal.ts'
import { journalExists } from '../bot/journal/schema/openDatabase.ts'
import { journalName } from '../bot/journal/store/database.ts'
import { partialOf } from '../bot/journal/store/names.ts'
import { ballastError, usageError } from '../core/errors.ts'
import { isoText, toSecond } from '../core/isoText.ts'
import { dayMs } from '../core/spans.ts'
import { defineCommand } from './command.ts'
import { readInstant } from './options.ts'
import { whileWorking } from './whileWorking.ts'

export const command = defineCommand({
  name: 'archive',
  summary: 'moves old bodies of the journal into a signed archive, also while the bot runs',
  example: 'ballast archive --before 2026-01-01',
  isForEach: () => true,
  options: {
    before: {
      flags: '--before <instant>',
      summary:
        'what is older: 2026-01-01, or 2026-01-01T09:00:00Z; without it, by journal.retention',
      read: readInstant('--before'),
    },
  },
  config: 'everything',
  async run({ config, options, clock, terminal }) {
    const { database, haltFile, journal: kept, tokens: coin } = config
    const { retentionMs, archives } = kept
    if (options.before === undefined && retentionMs === undefined)
      throw usageError(
        'Nothing says what is old: name --before, or set journal.retention in the configuration.',
      )
    const before = options.before ?? clock.now() - (retentionMs ?? 0)
    if (before > clock.now() - dayMs)
      throw usageError('--before is within the last day, which the bot itself still reads.')
    if (!(await journalExists(database)))
      throw ballastError('NO_JOURNAL', `There is no journal at ${journalName(database)}.`)
    await using opened = new AsyncDisposableStack()
    const journal = opened.adopt(
      await openJournal({ database, haltFile, clock, coin, archives }),
      (one) => one.shut(),
    )
    const sign = signOnce(config)
    const partial = join(archives, partialOf(archiveName(database)))
    const done = await whileWorking(
      { terminal, clock },
      () => copyProgress(database, partial),
      () => archiveJournal({ journal, database, folder: archives, clock, sign }, before),
    )
    return { ...done, made: done.made ?? null, before, folder: archives }
  },
  text({ made, freed, before, folder }, { config }) {
    const left =
      freed === 0
        ? []
        : [
            `The journal dropped ${Math.ceil(freed / 1_024)} KiB of bodies. Its file keeps its size, and uses`,
            'that room for what comes.',
          ]
    if (made === null) return [`Nothing to archive from before ${iso(before)}.`, ...left].join('\n')
    return [
      `Archived what is older than ${iso(before)}: entries up to ${made.upto}.`,
      `file    ${made.file}`,
      `in      ${folder}`,
      `sha256  ${made.sha256}`,
      made.signature === undefined
        ? 'signed  no: no key is at hand, or its holder signs no messages'
        : `signed  by ${config.wallet.address}`,
      ...left,
      'Keep a copy of the file elsewhere: explain and audit verify read it.',
    ].join('\n')
  },
  document: ({ before, made, ...done }) => ({
    ...done,
    before: iso(before),
    made: made && { ...made, before: iso(made.before), signature: made.signature ?? null },
  }),
})

const iso = (at: number) => toSecond(isoText(at))
