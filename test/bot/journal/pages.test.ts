import { expect, test } from 'vitest'
import { chainHash } from '../../../src/bot/journal/log/log.ts'
import { openJournal } from '../../../src/bot/journal/openJournal.ts'
import { type Clock, systemClock } from '../../../src/core/clock.ts'
import { places } from '../../support/journals.ts'
import { samplePlan, wallet } from './sampleSwap.ts'

/** Swaps that were refused, an entry of the log each. */
const swaps = 3_000

/** What may pass without anybody else having a turn: a halt is to be noticed within a second, and a page is far from it. */
const entriesPerTurn = 500
const swapsPerTurn = 100

test('a file is looked through a page at a time: whoever watches for a halt has a turn between', async () => {
  const place = await places[0]?.make()
  if (place?.database.dialect !== 'sqlite') throw new Error('a file is one of the places')
  let turns = 0
  const clock: Clock = {
    now: systemClock.now,
    async sleep() {
      turns += 1
    },
  }
  const journal = await openJournal({ ...place, clock })
  const planned = samplePlan()
  await journal.swaps.reserve(planned, () => {})
  const { swapId } = planned
  await journal.swaps.close({ swapId, as: 'REJECTED', code: 'X', reason: 'x' })
  await place.exec(refused(swapId, await journal.log.lastEntry()))

  const scope = { chainId: 31_337, wallet, since: 0 }
  const { entries, defects } = await journal.books.logDefects(scope)
  expect([entries, defects]).toEqual([swaps + 2, []])
  expect(turns).toBe(Math.floor(swaps / entriesPerTurn) + Math.floor(swaps / swapsPerTurn))
  await journal.shut()
  await place.remove()
})

/** Copies a refused swap, each copy with its entry. */
function refused(like: string, last: { seq: number; hash: string }): string {
  let { seq, hash: prev } = last
  const statements = ['BEGIN']
  for (let nth = 0; nth < swaps; nth += 1) {
    seq += 1
    const id = `copy-${nth}`
    const entry = { seq, swap_id: id, at: 1, type: 'REJECTED', facts: '{}' }
    const hash = chainHash(prev, entry)
    statements.push(
      `INSERT INTO swap (id, key, strategy, chain_id, wallet, plan, sell_token, amount_in, state, version, reason,
         created_at, updated_at)
       SELECT '${id}', '${id}', strategy, chain_id, wallet, plan, sell_token, amount_in, 'REJECTED', 1, 'x', 1, 1
       FROM swap WHERE id = '${like}'`,
      `INSERT INTO event (seq, swap_id, at, type, facts, prev, hash)
       VALUES (${seq}, '${id}', 1, 'REJECTED', '{}', '${prev}', '${hash}')`,
    )
    prev = hash
  }
  return [...statements, 'COMMIT'].join(';')
}
