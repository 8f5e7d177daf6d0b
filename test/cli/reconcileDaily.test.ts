import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { reconcileDaily } from '../../src/app/reconcileWallet.ts'
import { reconcileAtStart } from '../../src/app/recover.ts'
import { createLog } from '../../src/bot/report/createLog.ts'
import { systemClock } from '../../src/core/clock.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { openBot } from '../support/openBot.ts'

let fork: Fork
let bot: Awaited<ReturnType<typeof openBot>>
const journalPath = () => join(fork.dataDir, 'ballast.db')

beforeEach(async () => {
  fork = await forkOrigin()
  bot = await openBot(fork)
})
afterEach(async () => {
  await bot.close()
  await fork.close()
})

/** Days pass as fast as they are looked at, until `days` have; then the process is stopped. */
async function pass(days: number, each: (day: number) => void) {
  const stop = new AbortController()
  const slept: number[] = []
  const lines: string[] = []
  await reconcileDaily(
    {
      config: bot.config,
      rpc: fork.rpc,
      journal: bot.journal,
      clock: {
        now: systemClock.now,
        async sleep(milliseconds) {
          slept.push(milliseconds)
          if (slept.length > days) stop.abort()
          else each(slept.length)
        },
      },
    },
    {
      signal: stop.signal,
      log: createLog({ level: 'info', sink: (line) => lines.push(line) }),
    },
  )
  return { slept, lines: lines.map((line) => JSON.parse(line)) }
}

test('once a day: clean days are one line each, and a break halts the wallet', async () => {
  await bot.swap({ sell: '1 ETH', buy: 'USDC', floor: '2990 USDC' })
  const { slept, lines } = await pass(2, (day) => {
    if (day < 2) return
    const db = new DatabaseSync(journalPath())
    db.exec(`UPDATE swap SET gas_paid = '1'`)
    db.close()
  })
  expect(slept).toEqual(Array.from({ length: 3 }, () => 24 * 60 * 60 * 1_000))
  expect(lines).toMatchObject([
    { locks: [], msg: 'the books were compared with the chain' },
    { id: 'I5', verdict: 'broken', level: 40 },
    { locks: ['LEDGER_BROKEN'] },
  ])
  expect(await bot.journal.locks.live()).toMatchObject([
    { kind: 'halt', code: 'LEDGER_BROKEN', reason: expect.stringContaining('LEDGER_DIFFERS') },
  ])
})

test('what was in order at the mark is looked through daily, what came after at every start', async () => {
  const at = { config: bot.config, rpc: fork.rpc, journal: bot.journal, clock: systemClock }
  const edit = (entry: string, by: number) => {
    const db = new DatabaseSync(journalPath())
    db.exec(
      `UPDATE event SET at = at + ${by} WHERE seq = (SELECT ${entry} FROM event WHERE type = 'PLANNED')`,
    )
    db.close()
  }
  await bot.swap({ sell: '1 ETH', buy: 'USDC', floor: '2990 USDC' })
  expect(await reconcileAtStart(at)).toEqual([])
  edit('min(seq)', 1)
  expect(await reconcileAtStart(at)).toEqual([])
  const { lines } = await pass(1, () => {})
  expect(lines).toMatchObject([{ id: 'I10', verdict: 'broken' }, { locks: ['LEDGER_BROKEN'] }])
  edit('min(seq)', -1)
  await bot.journal.locks.release({ id: undefined, reason: 'put right' })

  await bot.swap({ sell: '1 ETH', buy: 'USDC', floor: '2990 USDC' })
  edit('max(seq)', 1)
  await expect(reconcileAtStart(at)).rejects.toMatchObject({
    code: 'LOCKED',
    facts: { code: 'LEDGER_BROKEN', reason: expect.stringContaining('LOG_BROKEN') },
  })
})
