import type { DatabaseSync, StatementSync } from 'node:sqlite'

export type Value = string | number | bigint | null | Uint8Array
type Served = { readonly rows: readonly unknown[]; readonly changes: number }
type Run = { readonly sql: string; readonly parameters: readonly Value[] }

/** What may befall a statement before it takes effect, told its SQL. Throws where it does not run. */
type Hazard = (sql: string) => void

/**
 * The one disk of a simulation, real SQLite in memory: what a process wrote and did not commit is gone with it, and a
 * commit is only as durable as `PRAGMA synchronous` says.
 */
export type Disk = {
  /** Empties every table: a new machine, migrated. */
  wipe(): void
  /** A disk that was never used. */
  replace(): void
  /** The process is gone. With it what it had not committed; where the power is gone too, what was not synced. */
  crash(power: { readonly lostCommits: number } | undefined): void
  /** Everything that a process does with the disk passes here first. */
  expose(hazard: Hazard | undefined): void
  /** The next thing that is written finds no room: SQLite rolls back and says so. */
  fillUp(): void
  /** What a statement of a server gives, with its values by name: no process runs it. */
  serve(sql: string, values: Readonly<Record<string, Value>>): Served
  /** What the server's clock shows. */
  tellTime(now: () => number): void
  rows<row>(sql: string, ...parameters: Value[]): row[]
}

/** The real one: whoever imports `node:sqlite` in a simulation is given {@link SimulatedDatabase}. */
const { DatabaseSync: Real } = process.getBuiltinModule('node:sqlite')

let file: DatabaseSync | undefined
type Prepared = { readonly statement: StatementSync; readonly columns: readonly unknown[] }
const statements = new Map<string, Prepared>()
let hazard: Hazard | undefined
/** Statements that changed something, by commit; only kept while a commit is not safe from a power cut. */
let commits: Run[][] = []
let open: Run[] = []
let synced = true
let full = false
let migrated = false
/** Handles of processes that are gone can do nothing any more. */
let generation = 0

/** How the path ends by which the disk is looked at from outside a simulation. */
export const outside = '.outside'

let serverTime = () => 0

/** The function of SQL that tells the server's time. */
export const serverTimeSql = 'server_time()'

const changes = /^\s*(?:insert|update|delete|create|alter|drop)/i

function disk(): DatabaseSync {
  if (file === undefined) {
    file = new Real(':memory:')
    // A number of JavaScript would be stored as a float.
    file.function('server_time', () => BigInt(serverTime()))
  }
  return file
}

/** Of each statement once: the bot asks for the same few dozen in every simulation. */
function prepared(sql: string): Prepared {
  const known = statements.get(sql)
  if (known !== undefined) return known
  const statement = disk().prepare(sql)
  const fresh = { statement, columns: statement.columns() }
  // Before the migrations are through, the same words may come to mean something else.
  if (migrated) statements.set(sql, fresh)
  return fresh
}

const aboutSchema = /sqlite_master|pragma_table_info/i
const schema = new Map<string, unknown[]>()

/** The schema stands still once it is migrated, and every start reads it again. */
function schemaRows(statement: StatementSync, sql: string, parameters: readonly Value[]) {
  const key = `${sql} ${parameters.join(' ')}`
  const known = schema.get(key)
  if (known !== undefined) return known
  const rows = statement.all(...parameters)
  if (migrated) schema.set(key, rows)
  return rows
}

function perform<result>(sql: string, parameters: readonly Value[], run: () => result): result {
  if (full && changes.test(sql)) {
    full = false
    if (disk().isTransaction) disk().exec('ROLLBACK')
    throw Object.assign(new Error('database or disk is full'), { errcode: 13 })
  }
  const result = run()
  if (!synced && changes.test(sql)) open.push({ sql, parameters })
  const word = sql.trimStart().slice(0, 8).toUpperCase()
  if (!synced && (word.startsWith('COMMIT') || !disk().isTransaction)) {
    if (open.length > 0) commits.push(open)
    open = []
  }
  if (word.startsWith('ROLLBACK')) open = []
  return result
}

/** Stands where the bot asks for `node:sqlite`: every path is the one disk. */
export class SimulatedDatabase {
  readonly #generation: number | undefined

  constructor(path: string, _options?: object) {
    // Whoever looks in from outside outlives every process of the bot.
    this.#generation = path.endsWith(outside) ? undefined : generation
    disk()
  }

  get isTransaction(): boolean {
    return disk().isTransaction
  }

  exec(sql: string): void {
    this.#endanger(sql)
    // Memory has no journal file; the rest of a pragma is taken as it is.
    perform(sql, [], () => disk().exec(sql))
    if (/synchronous/i.test(sql)) {
      const [level = 2] = Object.values(disk().prepare('PRAGMA synchronous').get() ?? {})
      synced = Number(level) >= 2
    }
  }

  prepare(sql: string) {
    this.#assertAlive()
    const { statement, columns } = prepared(sql)
    return {
      columns: () => columns,
      get: (...parameters: Value[]) =>
        this.#run(sql, parameters, () => statement.get(...parameters)),
      all: (...parameters: Value[]) =>
        this.#run(sql, parameters, () =>
          aboutSchema.test(sql)
            ? schemaRows(statement, sql, parameters)
            : statement.all(...parameters),
        ),
      run: (...parameters: Value[]) =>
        this.#run(sql, parameters, () => statement.run(...parameters)),
      iterate: (...parameters: Value[]) =>
        this.#run(sql, parameters, () => statement.iterate(...parameters)),
    }
  }

  close(): void {}

  #run<result>(sql: string, parameters: readonly Value[], run: () => result): result {
    this.#endanger(sql)
    return perform(sql, parameters, run)
  }

  /** Whoever dies of a statement does not run it. */
  #endanger(sql: string): void {
    this.#assertAlive()
    if (this.#generation !== undefined) hazard?.(sql)
    this.#assertAlive()
  }

  #assertAlive(): void {
    if (this.#generation !== undefined && this.#generation !== generation)
      throw new Error('the process of this handle is gone')
  }
}

/** The machine's disk; one for each worker. */
export function createDisk(): Disk {
  return {
    wipe() {
      generation += 1
      hazard = undefined
      full = false
      if (disk().isTransaction) disk().exec('ROLLBACK')
      clear()
      commits = []
      open = []
    },
    replace() {
      generation += 1
      hazard = undefined
      file?.close()
      file = undefined
      statements.clear()
      schema.clear()
      migrated = false
    },
    crash(power) {
      generation += 1
      hazard = undefined
      full = false
      if (disk().isTransaction) disk().exec('ROLLBACK')
      open = []
      if (power === undefined || synced || commits.length === 0) return
      const kept = commits.slice(0, Math.max(0, commits.length - power.lostCommits))
      clear()
      for (const commit of kept)
        for (const { sql, parameters } of commit)
          disk()
            .prepare(sql)
            .run(...parameters)
      commits = kept
    },
    expose(next) {
      hazard = next
    },
    fillUp() {
      full = true
    },
    serve(sql, values) {
      const { statement, columns } = prepared(sql)
      if (columns.length === 0) return { rows: [], changes: Number(statement.run(values).changes) }
      const rows = statement.all(values)
      return { rows, changes: rows.length }
    },
    tellTime(now) {
      serverTime = now
    },
    rows: <row>(sql: string, ...parameters: Value[]) =>
      prepared(sql).statement.all(...parameters) as row[],
  }
}

/** Everything but the schema and the list of its migrations. */
function clear(): void {
  const names = disk()
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'kysely_%' AND name NOT LIKE 'sqlite_%'",
    )
    .all()
    .map(({ name }) => String(name))
  if (names.length === 0) return
  migrated = true
  disk().exec('PRAGMA foreign_keys = OFF')
  for (const name of names) disk().exec(`DELETE FROM "${name}"`)
  disk().exec('DELETE FROM sqlite_sequence')
  disk().exec('PRAGMA foreign_keys = ON')
}
