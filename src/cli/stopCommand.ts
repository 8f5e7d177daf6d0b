import { callWith, resumeCall } from '../app/calls.ts'
import { openBooks } from '../app/openBooks.ts'
import { whoRuns } from '../app/whoRuns.ts'
import { lockedError } from '../bot/journal/locks/guard.ts'
import { isMigrated } from '../bot/journal/migrateJournal.ts'
import { journalName, unusable } from '../bot/journal/store/database.ts'
import { lockText } from '../bot/lock/lockText.ts'
import type { LockKind, NewLock } from '../bot/lock.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import { display } from '../core/display.ts'
import { BallastError, ballastError } from '../core/errors.ts'
import { didYouMean } from '../core/nearest.ts'
import { manualStrategy } from '../core/reservedStrategies.ts'
import { type Command, defineCommand } from './command.ts'
import { paperOption } from './options.ts'

type Stop = {
  readonly kind: Exclude<LockKind, 'breaker'>
  readonly summary: string
  readonly example: string
}

/**
 * A command of the kill switch. It writes a lock into the journal and nothing else, so it works whether or not the bot
 * runs, and while the chain and the service are away.
 */
export function stopCommand({ kind, summary, example }: Stop): Command {
  return defineCommand({
    name: kind,
    summary,
    example,
    isForEach: () => true,
    arguments: [{ name: '[strategy]', summary: 'only this one; everything without it' }],
    options: {
      reason: { flags: '--reason <text>', summary: 'kept in the journal and shown' },
      paper: paperOption,
    },
    async run({ args, load, options, clock, terminal }) {
      const config = await load('journal').catch((error: unknown) => {
        throw nothingHalted(error, undefined)
      })
      const [strategy] = args
      if (strategy !== undefined)
        assertKnown(strategy, [manualStrategy, ...config.strategies.map(({ name }) => name)])
      const { lock, fresh, isUsed } = await writeLock(
        config,
        { paper: options.paper, clock },
        {
          kind,
          scope: strategy === undefined ? 'all' : `strategy ${strategy}`,
          code: 'BY_OPERATOR',
          reason: display(options.reason?.trim() || `ballast ${kind}`, 1_000),
          expiresAt: undefined,
          by: whoRuns(),
        },
      )
      if (!options.paper && !isUsed)
        terminal.note(
          `${journalName(config.database)} has no trace of this wallet: no bot has used it. One that runs has another journal, as of a DATABASE_URL that is not set here, and is not stopped.`,
        )
      return { lock: lockText(lock), fresh }
    },
    text({ lock, fresh }, { configFile, options }) {
      const paper = options.paper ? ' --paper' : ''
      return [
        sentence(lock, fresh),
        `It holds until: ${resumeCall(configFile)} ${lock.id}${paper}`,
        `Next: ${callWith(configFile, 'ballast status')}${paper}, what is under way`,
      ].join('\n')
    },
  })
}

async function writeLock(config: Config, parts: { paper: boolean; clock: Clock }, lock: NewLock) {
  try {
    await using open = new AsyncDisposableStack()
    const journal = open.adopt(await openBooks(config, parts), (one) => one.shut())
    const opened = await journal.locks.open(lock)
    // Looked at afterwards: what cannot be read keeps nothing from being stopped.
    const holding = await journal.locks.at(parts.clock.now()).catch(() => [])
    const moved = holding.find(isMigrated)
    if (moved !== undefined) throw lockedError(moved)
    const { chain, wallet } = config
    const scope = { chainId: chain.chainId, wallet: wallet.address }
    const isUsed = await journal.wallet.state(scope).then(
      (state) => state !== undefined,
      () => true,
    )
    return { ...opened, isUsed }
  } catch (error) {
    const { database, haltFile } = config
    // Any error of the system or the database here means that there is no lock.
    const known = error instanceof BallastError ? error : unusable(journalName(database), error)
    throw nothingHalted(known, haltFile)
  }
}

/** A stop that failed must not go unnoticed: the last line names a way that stops the bot all the same. */
function nothingHalted(error: unknown, haltFile: string | undefined): unknown {
  if (!(error instanceof BallastError)) return error
  const { summary, code, remedy, fault, facts } = error
  const file =
    haltFile === undefined
      ? 'a file HALT beside the database, or beside ballast.yaml where that is a server,'
      : `the file ${haltFile}`
  // A commit without an answer may have been made.
  const known = code === 'COMMIT_UNKNOWN' ? 'it may not be halted' : 'nothing was halted'
  const next = `${known}; create ${file} or POST /api/halt`
  return new BallastError(summary, {
    code,
    remedy,
    fault,
    facts: { ...facts, next },
    cause: error,
  })
}

function sentence(
  { id, kind, scope, reason }: ReturnType<typeof lockText>,
  fresh: boolean,
): string {
  const stays = fresh ? '' : ' Its reason stays; the one given now was not kept.'
  return `${fresh ? 'Opened' : 'There is already'} lock ${id}: ${kind} ${scope} (${reason}).${stays}`
}

function assertKnown(name: string, known: readonly string[]): void {
  if (known.includes(name)) return
  throw ballastError(
    'UNKNOWN_STRATEGY',
    `There is no strategy '${display(name, 64)}'.${didYouMean(name, known)} Nothing was stopped.`,
    { known: known.join(', ') },
  )
}
