import { join } from 'node:path'
import type { Kysely } from 'kysely'
import type { Clock } from '../../../core/clock.ts'
import { BallastError } from '../../../core/errors.ts'
import { openSqliteToRead } from '../store/openSqlite.ts'
import type { Tables } from '../store/tables.ts'
import { type Archived, archivesOf } from './archived.ts'
import { hindranceOf, ownFacts } from './createArchives.ts'
import { sha256Of } from './sha256Of.ts'

/** An archive and what is wrong with it; `missing` is unknown, and not broken. */
export type ArchiveReport = {
  readonly file: string
  readonly upto: number
  readonly verdict: 'whole' | 'missing' | 'broken'
  readonly why: string | undefined
  readonly signed: boolean
}

type Verifying = {
  /** The folder of the archives. */
  readonly folder: string
  readonly clock: Clock
  /** Whether the key of the wallet signed it. */
  readonly isSigned: (archive: Archived) => Promise<boolean>
}

/** Entries hashed at a time. */
const page = 500

/**
 * Reads every archive that a log names: the file is the one that was named, its checkpoint was signed by the wallet, and each
 * fact that the journal left to it is the one that the log was written with. Each archive is read once, for its own part.
 */
export async function verifyArchives(
  db: Kysely<Tables>,
  verifying: Verifying,
): Promise<readonly ArchiveReport[]> {
  const reports: ArchiveReport[] = []
  let after = 0
  for (const archive of await archivesOf(db)) {
    const { file, upto, signature } = archive
    const found = await judge(db, { archive, after }, verifying)
    reports.push({ file, upto, ...found, signed: signature !== undefined })
    after = Math.max(after, upto)
  }
  return reports
}

type Judged = Pick<ArchiveReport, 'verdict' | 'why'>

const broken = (why: string): Judged => ({ verdict: 'broken', why })

async function judge(
  db: Kysely<Tables>,
  { archive, after }: { readonly archive: Archived; readonly after: number },
  { folder, clock, isSigned }: Verifying,
): Promise<Judged> {
  const { file, upto, sha256, signature } = archive
  const path = join(folder, file)
  if (signature !== undefined && !(await isSigned(archive)))
    return broken(
      'its checkpoint was not signed by this wallet; where the key or the chain was changed since, verify with the configuration of then',
    )
  const hindrance = hindranceOf(file, folder)
  if (hindrance === 'missing') return { verdict: 'missing', why: `it is not in ${folder}` }
  if (hindrance === 'closed')
    return { verdict: 'missing', why: `this account may not read it in ${folder}` }
  if ((await sha256Of(path)) !== sha256) return broken('it is not the file that was written')
  const opened = openSqliteToRead(path)
  try {
    for (let last = after; last < upto; last += page) {
      const rows = await db
        .selectFrom('event')
        .selectAll()
        .where('seq', '>', last)
        .where('seq', '<=', Math.min(last + page, upto))
        .execute()
      await ownFacts(
        opened,
        rows.filter(({ facts }) => facts === ''),
        file,
      )
      await clock.sleep(1)
    }
    return { verdict: 'whole', why: undefined }
  } catch (error) {
    if (error instanceof BallastError) return broken(error.summary)
    throw error
  } finally {
    await opened.destroy()
  }
}
