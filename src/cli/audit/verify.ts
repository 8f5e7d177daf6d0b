import { readJournal } from '../../bot/journal/readJournal.ts'
import { journalExists } from '../../bot/journal/schema/openDatabase.ts'
import { journalName } from '../../bot/journal/store/database.ts'
import { display } from '../../core/display.ts'
import { BallastError } from '../../core/errors.ts'
import { defineCommand } from '../command.ts'
import { lockText } from '../compose/lockText.ts'
import { exitCodes } from '../exitCodes.ts'

export const verify = defineCommand({
  name: 'verify',
  summary:
    'walks the chain of the log; names the first entry that is wrong, and locks and swaps it does not explain',
  example: 'ballast audit verify --head 3f0c…',
  options: {
    head: {
      flags: '--head <hash>',
      summary: 'a hash noted earlier, which must be in the chain: shows a log that was cut off',
      read: readHash,
    },
  },
  async run({ config: load, options, clock, json, terminal }) {
    const { database, haltFile } = await load()
    if (!(await journalExists(database)))
      throw new BallastError(`There is no journal at ${journalName(database)}.`, {
        code: 'NO_JOURNAL',
        remedy: 'skip',
        fault: 'usage',
      })
    const journal = await readJournal({ database, haltFile, clock })
    try {
      const { count, head, broken, found, locks, swaps } = await journal.log.verify(options.head)
      const explained = locks.length === 0 && swaps.length === 0
      const ok = broken === undefined && found !== false && explained
      if (json)
        terminal.json({
          ok,
          count,
          head,
          broken: broken ?? null,
          found: found ?? null,
          locks: locks.map(({ lock, why }) => ({ ...lockText(lock), why })),
          swaps,
        })
      else {
        terminal.out(`${count} entries follow each other; head ${head}`)
        if (broken !== undefined) terminal.out(`BROKEN at entry ${broken.seq}: ${broken.why}.`)
        if (found === false)
          terminal.out(`BROKEN: ${options.head} is not in the chain: what led to it was cut off.`)
        for (const { lock, why } of locks)
          terminal.out(
            `CHANGED lock ${lock.id} (${lock.kind} ${display(lock.scope)}, ${display(lock.code)}): ${why}.`,
          )
        for (const { swapId, why } of swaps)
          terminal.out(`CHANGED swap ${display(swapId)}: ${why}.`)
      }
      return ok ? exitCodes.done : exitCodes.refused
    } finally {
      await journal.shut()
    }
  },
})

function readHash(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase()
  throw new BallastError('--head takes the 64 hex digits of a hash.', {
    code: 'USAGE',
    remedy: 'skip',
    fault: 'usage',
  })
}
