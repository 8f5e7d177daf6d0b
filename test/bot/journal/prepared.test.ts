import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../src/bot/journal/schema/openDatabase.ts'
import { prepared } from '../../../src/bot/journal/store/prepared.ts'
import { places } from '../../support/journals.ts'

test.each(places)(
  'prepared, $dialect: built once, and answered by the values of each call',
  async ({ make }) => {
    const place = await make()
    const db = await openDatabase(place.database)
    let built = 0
    const add = prepared((db, { a, b }: { a: number; b: number }) => {
      built += 1
      return db.selectNoFrom(sql<number>`CAST(${a} AS INTEGER) - CAST(${b} AS INTEGER)`.as('rest'))
    })
    try {
      expect((await add(db, { a: 7, b: 5 })).rows).toEqual([{ rest: 2 }])
      const inside = await db.transaction().execute((trx) => add(trx, { b: 1, a: 4 }))
      expect(inside.rows).toEqual([{ rest: 3 }])
      expect(built).toBe(1)
      await expect(async () => add(db, { a: 1 } as never)).rejects.toThrow('every value')
    } finally {
      await db.destroy()
      await place.remove()
    }
  },
)
