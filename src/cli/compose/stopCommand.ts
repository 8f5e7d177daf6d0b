import { openJournal } from '../../bot/journal/openJournal.ts'
import type { Lock, LockKind } from '../../bot/lock.ts'
import { display } from '../../core/display.ts'
import { BallastError } from '../../core/errors.ts'
import { nearest } from '../../core/nearest.ts'
import { type Command, defineCommand } from '../command.ts'
import { lockText } from './lockText.ts'

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
    arguments: [{ name: '[strategy]', summary: 'only this one; everything without it' }],
    options: {
      reason: { flags: '--reason <text>', summary: 'kept in the journal and shown' },
    },
    async run({ args, config: load, options, clock, json, terminal }) {
      const config = await load()
      const [strategy] = args
      if (strategy !== undefined)
        assertKnown(strategy, ['manual', ...config.strategies.map(({ name }) => name)])
      const journal = await openJournal({
        path: config.database.path,
        haltFile: config.haltFile,
        clock,
      })
      try {
        const { lock, fresh } = await journal.openLock({
          kind,
          scope: strategy === undefined ? 'all' : `strategy ${strategy}`,
          code: 'BY_OPERATOR',
          reason: display(options.reason?.trim() || `ballast ${kind}`, 1_000),
          expiresAt: undefined,
        })
        if (json) terminal.json({ lock: lockText(lock), fresh })
        else terminal.out(sentence(lock, fresh))
      } finally {
        await journal.shut()
      }
    },
  })
}

function sentence({ id, kind, scope, reason }: Lock, fresh: boolean): string {
  return `${fresh ? 'Opened' : 'There is already'} lock ${id}: ${kind} ${scope} (${reason}).\nIt holds until: ballast resume --reason "…" ${id}`
}

function assertKnown(name: string, known: readonly string[]): void {
  if (known.includes(name)) return
  const meant = nearest(name, known)
  throw new BallastError(
    `There is no strategy '${display(name, 64)}'.${meant === undefined ? '' : ` Did you mean ${meant}?`} Nothing was stopped.`,
    {
      code: 'UNKNOWN_STRATEGY',
      remedy: 'skip',
      fault: 'usage',
      facts: { known: known.join(', ') },
    },
  )
}
