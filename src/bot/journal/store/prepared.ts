import type { Compilable, CompiledQuery, Kysely, QueryResult } from 'kysely'
import { assert } from '../../../core/assert.ts'
import type { Tables } from './tables.ts'

/** Where a value comes in a query that is built once. */
class Slot {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/**
 * A query whose SQL is built at its first use: `prepared((db, value: { id: string }) => …)` is called with the database and
 * the values. Building takes longer than SQLite needs to answer. For a fixed text: no list of a varying length.
 */
export function prepared<values extends object, row>(
  build: (db: Kysely<Tables>, values: values) => Compilable<row>,
): (db: Kysely<Tables>, values: values) => Promise<QueryResult<row>> {
  // By the adapter, which every transaction shares with its database: dialects differ in their SQL.
  const built = new WeakMap<object, CompiledQuery<row>>()
  const slots = new Proxy({} as values, { get: (_, name) => new Slot(String(name)) })
  return (db, values) => {
    const { adapter } = db.getExecutor()
    const query = built.get(adapter) ?? build(db, slots).compile()
    built.set(adapter, query)
    const parameters = query.parameters.map((value) => {
      if (!(value instanceof Slot)) return value
      const given = (values as Readonly<Record<string, unknown>>)[value.name]
      assert(given !== undefined, 'every value of a query is given')
      return given
    })
    return db.executeQuery({ ...query, parameters })
  }
}
