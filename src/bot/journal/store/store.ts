import type { Kysely, Selectable } from 'kysely'
import type { Clock } from '../../../core/clock.ts'
import type { BallastError } from '../../../core/errors.ts'
import type { Coin } from '../../../core/token.ts'
import type { Disk } from '../../disk.ts'
import type { Treasury } from '../limits/treasury.ts'
import type { Fence } from './postgres/takeLease.ts'
import type { DecisionTable, EventTable, Tables } from './tables.ts'

/** Reads what left a journal for its archives. Throws ARCHIVE_MISSING, with the file to bring, where one is not at hand. */
export type Archives = {
  /** The texts of entries that have none here any more, by number. */
  facts(entries: readonly Selectable<EventTable>[]): Promise<ReadonlyMap<number, string>>
  /** Decisions as they were made; those that are whole stay as they are. */
  decisions(
    rows: readonly Selectable<DecisionTable>[],
  ): Promise<readonly Selectable<DecisionTable>[]>
  close(): Promise<void>
}

/** An open journal: its database, and what every repository over it works with. */
export type Store = {
  readonly db: Kysely<Tables>
  readonly clock: Clock
  /** A file whose existence is a halt. */
  readonly haltFile: string
  /** Why the file is not at its path any more; undefined while it is. */
  readonly moved: () => BallastError | undefined
  /** The volume of the file; undefined on a server. */
  readonly disk: () => Disk | undefined
  /** Its two names are one asset to the lock of a pair and to the cooldown; without it each stands for itself. */
  readonly coin: Coin | undefined
  readonly archives: Archives
  /** Limits over all wallets; undefined where there are none, and for who only reads. */
  readonly treasury?: Treasury | undefined
  /** Of a process that spends from a journal on a server. */
  readonly fence: Fence | undefined
}

/** Closes the journal and the archives that were opened for it. */
export async function shutStore({ db, archives }: Pick<Store, 'db' | 'archives'>): Promise<void> {
  await archives.close()
  await db.destroy()
}

type Bound<functions> = {
  readonly [name in keyof functions]: functions[name] extends (
    db: Kysely<Tables>,
    ...rest: infer rest
  ) => infer result
    ? (...rest: rest) => result
    : never
}

/** Functions of a database as methods of a repository: `(db, …)` is called as `(…)`. */
export function bound<
  functions extends Readonly<Record<string, (db: Kysely<Tables>, ...rest: never[]) => unknown>>,
>({ db }: Pick<Store, 'db'>, functions: functions): Bound<functions> {
  const methods = Object.entries(functions).map(([name, act]) => [
    name,
    (...rest: never[]) => act(db, ...rest),
  ])
  return Object.fromEntries(methods) as Bound<functions>
}

type Stamped<functions> = {
  readonly [name in keyof functions]: functions[name] extends (
    db: Kysely<Tables>,
    facts: infer facts,
  ) => infer result
    ? (facts: Omit<facts, 'at'>) => result
    : never
}

/** The same of what is written down with its instant: `(db, { …, at })` is called without `at`, which is now. */
export function stamped<
  functions extends Readonly<Record<string, (db: Kysely<Tables>, facts: never) => unknown>>,
>({ db, clock }: Pick<Store, 'db' | 'clock'>, functions: functions): Stamped<functions> {
  const methods = Object.entries(functions).map(([name, act]) => [
    name,
    (facts: object) => act(db, { ...facts, at: clock.now() } as never),
  ])
  return Object.fromEntries(methods) as Stamped<functions>
}
