import { archiveJournal, type Checkpoint, finishArchive } from '../bot/journal/archiveJournal.ts'
import type { Journal } from '../bot/journal/openJournal.ts'
import { archiveDueMs } from '../bot/report/attention.ts'
import type { Log } from '../bot/report/createLog.ts'
import type { Hex } from '../chain/calls/fields.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'

type Due = {
  readonly config: Pick<Config, 'journal' | 'database'>
  readonly journal: Journal
  readonly clock: Clock
  readonly sign: (checkpoint: Checkpoint) => Promise<Hex | undefined>
  readonly log: Log
}

/**
 * Finishes an archive that a kill cut short, and makes the next one where enough is older than `journal.retention` and no
 * swap is open. A failure is told in the log and, where it lasts, as ARCHIVE_OVERDUE; it never ends the bot.
 */
export async function archiveDue({ config, journal, clock, sign, log }: Due): Promise<void> {
  const { retentionMs, archives: folder } = config.journal
  try {
    await finishArchive({ journal, folder })
    const oldest = await journal.archiving.oldestBody()
    if (retentionMs === undefined || oldest === undefined) return
    if (clock.now() < oldest + archiveDueMs(retentionMs)) return
    if ((await journal.swaps.open()).length > 0) return
    const { database } = config
    const archiving = { journal, database, folder, clock, sign }
    const { made, freed } = await archiveJournal(archiving, clock.now() - retentionMs)
    if (made === undefined) return
    const { file, upto, sha256 } = made
    log.info({ file, upto, sha256, freed, signed: made.signature !== undefined }, 'archived')
  } catch (error) {
    log.warn({ err: error }, 'the journal could not be archived: ballast archive shows why')
  }
}
