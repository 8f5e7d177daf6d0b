import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import { stateOf } from './failure.ts'

/** Serialization failure and deadlock: the server undid everything, and asks for the same again. */
const undone = ['40001', '40P01']

const attemptsMax = 3

/** Transactions here are pure database code, so one that the server undid is run again from its begin. */
export function retrySerialization(db: Kysely<Tables>): void {
  const transaction = db.transaction.bind(db)
  db.transaction = () => {
    const builder = transaction()
    const execute = builder.execute.bind(builder)
    builder.execute = async (work) => {
      for (let attempt = 1; ; attempt += 1)
        try {
          return await execute(work)
        } catch (error) {
          if (attempt === attemptsMax || !undone.includes(stateOf(error) ?? '')) throw error
        }
    }
    return builder
  }
}
