import { existsSync } from 'node:fs'
import { openJournal } from '../../bot/journal/openJournal.ts'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import type { Address, Token } from '../../core/token.ts'

/** What a dry run reads of the journal: the day's spending. Where no journal is, nothing was spent, and none is made. */
export async function openSpending(config: Config, clock: Clock) {
  if (!existsSync(config.database.path))
    return {
      spentPerDay: async (_token: Token, _wallet: Address, _except: string) => 0n,
      standingOf: async (_strategy: string) => ({ inflight: [], lastFill: undefined }),
      close: async () => {},
    }
  const journal = await openJournal({ path: config.database.path, clock })
  return {
    spentPerDay: journal.spentPerDay,
    standingOf: journal.standingOf,
    close: journal.shut,
  }
}
