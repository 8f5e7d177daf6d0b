import { statSync } from 'node:fs'
import type { UnsignedJournal } from '../../bot/journal/createUnsigned.ts'
import type { Database } from '../../bot/journal/store/database.ts'
import { diskOf } from '../../bot/journal/store/disk.ts'
import { finalStates, openStates } from '../../bot/state.ts'
import type { Config } from '../../config/config.ts'
import type { FiguresView } from '../../dashboard/views.ts'

const slotStates = ['done', 'passed', 'missed', 'failed'] as const

/** The books in numbers, and the room they take. A state that no swap ever had is 0. */
export async function readFigures(
  { countBooks }: Pick<UnsignedJournal, 'countBooks'>,
  { database, chain, wallet }: Pick<Config, 'database' | 'chain' | 'wallet'>,
): Promise<FiguresView> {
  const owner = { chainId: chain.chainId, wallet: wallet.address }
  const { swaps, slots, gasPaidWei } = await countBooks(owner)
  return {
    swapsEnded: finalStates.map((state) => ({ state, count: swaps.get(state) ?? 0 })),
    swapsOpen: openStates.reduce((sum, state) => sum + (swaps.get(state) ?? 0), 0),
    slots: slotStates.map((state) => ({ state, count: slots.get(state) ?? 0 })),
    gasPaidWei,
    journalBytes: bytesOf(database),
    diskFreeBytes: diskOf(database)?.freeBytes ?? null,
  }
}

/** A journal in a file with its write-ahead log; null for one on a server. */
function bytesOf(database: Database): number | null {
  if (database.dialect !== 'sqlite') return null
  const sizes = ['', '-wal'].map(
    (end) => statSync(`${database.path}${end}`, { throwIfNoEntry: false })?.size ?? 0,
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
