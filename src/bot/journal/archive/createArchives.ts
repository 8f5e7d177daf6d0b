import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import type { Kysely, Selectable } from 'kysely'
import { assert } from '../../../core/assert.ts'
import { type BallastError, ballastError } from '../../../core/errors.ts'
import { chainHash } from '../log/log.ts'
import { openSqliteToRead } from '../store/openSqlite.ts'
import type { Archives } from '../store/store.ts'
import type { DecisionTable, EventTable, Tables } from '../store/tables.ts'
import { type Archived, archivesOf } from './archived.ts'

type Decision = Selectable<DecisionTable>

/** The archives of a journal in a folder, each opened when the first text of it is wanted. */
export function createArchives(db: Kysely<Tables>, folder: string): Archives {
  const opened = new Map<string, Kysely<Tables>>()
  const open = (archive: Archived | undefined) => {
    assert(archive !== undefined, 'what has no body is in an archive')
    const { file } = archive
    const path = join(folder, file)
    assertAtHand(file, folder)
    // Whatever its version: it is never migrated, and these columns are as old as archives.
    const known = opened.get(file) ?? openSqliteToRead(path)
    opened.set(file, known)
    return known
  }
  return {
    async facts(entries) {
      const bare = entries.filter(({ facts }) => facts === '')
      const texts = new Map<number, string>()
      if (bare.length === 0) return texts
      const archives = await archivesOf(db)
      const held = Map.groupBy(bare, ({ seq }) => archives.find(({ upto }) => upto >= seq))
      for (const [archive, own] of held) {
        const found = await ownFacts(open(archive), own, archive?.file)
        for (const [seq, facts] of found) texts.set(seq, facts)
      }
      return texts
    },
    async decisions(rows) {
      const bare = rows.filter(({ context }) => context === '')
      if (bare.length === 0) return rows
      const archives = await archivesOf(db)
      const texts = new Map<number, Pick<Decision, 'context' | 'decision' | 'last_seen'>>()
      const held = Map.groupBy(bare, (row) =>
        archives.find(({ before }) => before > (row.last_at ?? row.at)),
      )
      for (const [archive, own] of held) {
        const found = await open(archive)
          .selectFrom('decision')
          .select(['id', 'context', 'decision', 'last_seen'])
          .where(
            'id',
            'in',
            own.map(({ id }) => id),
          )
          .execute()
        for (const { id, ...own } of found) if (own.context !== '') texts.set(id, own)
        const gone = own.find(({ id }) => !texts.has(id))
        if (gone !== undefined) throw archiveChanged(archive?.file, `decision ${gone.id}`)
      }
      return rows.map((row) => ({ ...row, ...texts.get(row.id) }))
    },
    async close() {
      for (const archive of opened.values()) await archive.destroy()
    },
  }
}

/**
 * The facts that an archive has of these entries, by their number. Throws ARCHIVE_CHANGED where they are not those that the
 * log was written with.
 */
export async function ownFacts(
  archive: Kysely<Tables>,
  entries: readonly Selectable<EventTable>[],
  file: string | undefined,
): Promise<ReadonlyMap<number, string>> {
  if (entries.length === 0) return new Map()
  const rows = await archive
    .selectFrom('event')
    .select(['seq', 'facts'])
    .where(
      'seq',
      'in',
      entries.map(({ seq }) => seq),
    )
    .execute()
  const found = new Map(rows.map(({ seq, facts }) => [seq, facts]))
  for (const entry of entries) {
    const facts = found.get(entry.seq) ?? ''
    if (chainHash(entry.prev, { ...entry, facts }) !== entry.hash)
      throw archiveChanged(file, `entry ${entry.seq}`)
  }
  return found
}

/** Why an archive is not at hand; undefined where it is. */
export function hindranceOf(file: string, folder: string): 'missing' | 'closed' | undefined {
  try {
    accessSync(join(folder, file), constants.R_OK)
    return undefined
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    return ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(code) ? 'missing' : 'closed'
  }
}

/** Throws ARCHIVE_MISSING. Where the file is brought back, or opened to this account, nothing is lost. */
export function assertAtHand(file: string, folder: string): void {
  const hindrance = hindranceOf(file, folder)
  if (hindrance === undefined) return
  throw ballastError(
    'ARCHIVE_MISSING',
    hindrance === 'missing'
      ? `This is in the archive ${file}, which is not in ${folder}: bring it back there.`
      : `This is in the archive ${file} of ${folder}, which this account may not read: let it read the file and the folder.`,
    { file, folder },
  )
}

const archiveChanged = (file: string | undefined, what: string): BallastError =>
  ballastError('ARCHIVE_CHANGED', `The archive ${file} does not have ${what} as it was written.`, {
    file,
    what,
    next: 'ballast audit verify',
  })
