import { callWith } from '../app/calls.ts'
import { onPaper } from '../app/onPaper.ts'
import { type MigrationProgress, migrateJournal } from '../bot/journal/migrateJournal.ts'
import { journalExists } from '../bot/journal/schema/openDatabase.ts'
import { journalName } from '../bot/journal/store/database.ts'
import { readDatabase } from '../config/readDatabase.ts'
import { ballastError, usageError } from '../core/errors.ts'
import { table } from '../core/textLayout.ts'
import { schemaOfWallet } from '../core/walletSchema.ts'
import { defineCommand } from './command.ts'
import { paperOption } from './options.ts'
import { whileWorking } from './whileWorking.ts'

export const command = defineCommand({
  name: 'migrate',
  summary: 'moves the journal to another database, proven',
  example: 'ballast migrate --to postgres://ballast@db.internal/ballast',
  options: {
    to: {
      flags: '--to <database>',
      summary:
        'written as database: in the configuration; without it MIGRATE_TO of the environment, which may carry a password',
    },
    fleet: {
      flags: '--fleet',
      summary: 'to the place that the journal has where several wallets share a server',
    },
    paper: paperOption,
  },
  config: 'journal',
  async run({ config, options, environment, cwd, clock, signal, terminal }) {
    const { database: from, file, chain, wallet } = config
    const written = readDatabase({
      ...{ option: options.to, variable: 'MIGRATE_TO', environment, file, cwd },
    })
    const named =
      options.fleet && written.dialect === 'postgres'
        ? { ...written, schema: schemaOfWallet({ ...chain, ...wallet }) }
        : written
    // The name that `database:` will have: paper stands beside it there as well.
    const to = options.paper ? onPaper({ ...config, database: named }).database : named
    if (journalName(from) === journalName(to))
      throw usageError(`The journal is at ${journalName(to)} already: name another place.`)
    if (!(await journalExists(from)))
      throw ballastError('NO_JOURNAL', `There is no journal at ${journalName(from)}.`)
    let told: MigrationProgress | undefined
    const { chainId } = chain
    const tell = (progress: MigrationProgress) => {
      told = progress
    }
    const proof = await whileWorking(
      { terminal, clock },
      () => `Moving the journal${told ? `: ${told.table}, ${told.rows} rows ${told.doing}` : ''}.`,
      () => migrateJournal({ from, to, chainId, wallet: wallet.address, clock, signal, tell }),
    )
    return { from: journalName(from), to: journalName(to), ...proof }
  },
  text: ({ from, to, tables, log, totals }, { configFile, options, terminal }) =>
    [
      `Moved ${from} to ${to}. Each side was read by itself, and they are the same:`,
      '',
      table(
        [
          ['table', 'rows here', 'rows there', 'sha256 here', 'sha256 there'],
          ...tables.map(({ table: name, here, there }) => [
            ...[name, String(here.rows), String(there.rows)],
            ...[here.sha256.slice(0, 16), there.sha256.slice(0, 16)],
          ]),
        ],
        terminal.columns,
      ),
      '',
      `The log there: ${log.count} entries follow each other; head ${log.head}`,
      ...totals.map(
        ({ strategy, swaps, sold, received }) =>
          `${strategy}: ${swaps} swaps, ${sold} sold for ${received}`,
      ),
      `The journal that was moved is halted, and keeps its books: ${from}.`,
      `Next: set database: in ${configFile}, or DATABASE_URL, to the new place; then ${callWith(configFile, 'ballast doctor')} and ${callWith(configFile, 'ballast run')}${options.paper ? ' --paper' : ''}`,
    ].join('\n'),
  document: (moved) => ({ ok: true, ...moved }),
})
