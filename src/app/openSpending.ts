import { readJournal } from '../bot/journal/readJournal.ts'
import { journalExists } from '../bot/journal/schema/openDatabase.ts'
import type { Lock } from '../bot/lock.ts'
import { spentOf } from '../bot/spent.ts'
import type { Plan } from '../bot/stages.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import { newRecord } from '../engine/ledger.ts'

const unused = { hour: 0n, day: 0n }

/**
 * The part of the journal a dry run reads: the rest of the limits. Where no journal is, nothing was spent, and none is
 * made.
 */
export async function openSpending(config: Config, clock: Clock) {
  if (!(await journalExists(config.database)))
    return {
      spent: async (plan: Plan) => spentOf([], { plan, at: clock.now(), coin: undefined }),
      ofAllWallets: async () => unused,
      quoteSeen: async () => false,
      standingOf: async (_strategy: string, _params: unknown) => ({
        ...newRecord.own,
        ...{ memory: undefined, open: [], swapGas: undefined, settled: undefined },
      }),
      locks: async (): Promise<readonly Lock[]> => [],
      close: async () => {},
    }
  const journal = await readJournal({
    database: config.database,
    haltFile: config.haltFile,
    clock,
    coin: config.tokens,
  })
  return {
    spent: journal.limits.spent,
    /** The use of the limits over all wallets, where there are any. */
    ofAllWallets: async () =>
      config.treasury === undefined ? unused : await journal.limits.ofAllWallets(config.database),
    quoteSeen: journal.swaps.quoteSeen,
    standingOf: journal.decisions.inputs,
    locks: journal.locks.live,
    close: journal.shut,
  }
}

/**
 * A dry run looks past locks, since they show nothing of the market; its reader must know that a live one would not.
 */
export function warnOfLocks(locks: readonly Lock[], note: (line: string) => void): void {
  for (const { kind, scope, code, reason } of locks)
    note(
      `Locked (${kind}, ${scope}, ${code}): ${reason}. A live run would not begin this until 'ballast resume'.`,
    )
}
