import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { reconcileDaily } from '../../src/app/reconcileWallet.ts'
import { reconcileAtStart } from '../../src/app/recover.ts'
import { createLog } from '../../src/bot/report/createLog.ts'
import { systemClock } from '../../src/core/clock.ts'
import { dayMs } from '../../src/core/spans.ts'
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

/** Days pass as fast as they are waited for, until `days` have; then the process is stopped. */
async function pass(
  days: number,
  each: (day: number) => unknown,
  config: () => typeof bot.config = () => bot.config,
) {
  const stop = new AbortController()
  const lines: string[] = []
  const looks: number[] = []
  const now = systemClock.now()
  await reconcileDaily(
    {
      config,
      rpc: fork.rpc,
      journal: bot.journal,
      clock: {
        now: () => now,
        async sleep(milliseconds) {
          if (looks.push(now + milliseconds) > days) stop.abort()
          else await each(looks.length)
        },
      },
    },
    {
      signal: stop.signal,
      log: createLog({ level: 'info', sink: (line) => lines.push(line) }),
    },
  )
  return { looks, lines: lines.map((line) => JSON.parse(line)) }
}

test('once a day: clean days are one line each, and a break halts the wallet', async () => {
  await bot.swap({ sell: '1 ETH', buy: 'USDC', floor: '2990 USDC' })
  const { looks, lines } = await pass(2, (day) => {
    if (day < 2) return
    const db = new DatabaseSync(journalPath())
    db.exec(`UPDATE swap SET gas_paid = '1'`)
    db.close()
  })
  const [first = 0, second = 0, third = 0] = looks
  expect([second - first, third - second]).toEqual([dayMs, dayMs])
  // Whoever takes the wallet over goes on at the same instant of the day, and within a day.
  const { looks: others } = await pass(0, () => {})
  expect([(others[0] ?? 0) % dayMs, (others[0] ?? 0) - systemClock.now() <= dayMs]).toEqual([
    ...[first % dayMs, true],
  ])
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

test('a clock that was far ahead at the start puts the next comparison off by a day at most', async () => {
  const stop = new AbortController()
  const slept: number[] = []
  const clock = {
    now: () => systemClock.now() + (slept.length === 0 ? 400 * dayMs : 0),
    async sleep(milliseconds: number) {
      if (slept.push(milliseconds) === 3) stop.abort()
    },
  }
  const log = createLog({ level: 'info', sink: () => {} })
  const at = { config: () => bot.config, rpc: fork.rpc, journal: bot.journal, clock }
  await reconcileDaily(at, { signal: stop.signal, log })
  const [first = 0, second = 0] = slept
  expect([first > 0 && first <= dayMs, second > 0 && second <= dayMs]).toEqual([true, true])
})

test('a limit that was raised and lowered again since the last comparison halts nothing', async () => {
  const wide = bot.config
  const perDay = wide.policy.perDay.map(({ token, wei }) => ({ token, wei: wei / 1_000n }))
  const tight: typeof wide = { ...wide, policy: { ...wide.policy, perDay } }
  const name = { chainId: wide.chain.chainId, wallet: wide.wallet.address }
  const raised = async () => {
    await bot.journal.reconciliation.forgetLimits(name)
    await bot.swap({ sell: '1 ETH', buy: 'USDC', floor: '2990 USDC' })
    await bot.journal.reconciliation.forgetLimits(name)
  }
  const { lines } = await pass(
    2,
    (day) => (day === 2 ? raised() : undefined),
    () => tight,
  )
  expect(lines).toMatchObject([{ locks: [] }, { id: 'I6', verdict: 'unknown' }, { locks: [] }])
  expect(await bot.journal.locks.live()).toEqual([])
})

test('a limit that was raised while the bot runs is the one that its swaps are held to', async () => {
  const wide = bot.config
  const perDay = wide.policy.perDay.map(({ token, wei }) => ({ token, wei: wei / 1_000n }))
  let current: typeof wide = { ...wide, policy: { ...wide.policy, perDay } }
  const { lines } = await pass(
    2,
    async (day) => {
      if (day < 2) return
      current = wide
      await bot.swap({ sell: '1 ETH', buy: 'USDC', floor: '2990 USDC' })
    },
    () => current,
  )
  expect(lines).toMatchObject([{ locks: [] }, { locks: [] }])
  expect(await bot.journal.locks.live()).toEqual([])
})
