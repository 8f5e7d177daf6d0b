import { DatabaseSync } from 'node:sqlite'
import { expect, test, vi } from 'vitest'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
import type { Receipt } from '../../../src/chain/calls/getReceipt.ts'
import { places } from '../../support/journals.ts'
import { sampleBytes, samplePlan, sampleQuote, usdc, wallet } from './sampleSwap.ts'

/** What grows for as long as the bot lives. */
const tables = '(?:swap|quote|attempt|event|decision|slot|refusal|strategy_total|price|valuation)'

/** Indexes that hold only what is open, or what a person did, or an archive of years: they stay small. */
const small = '(?:open_swaps|open_approvals|locks_of_log|notes_of_wallet|archives_of_log)'

/** Steps of a plan that read a whole table, or everything that one wallet or one strategy ever did. */
const slow = [
  new RegExp(`^SCAN ${tables}(?! USING (?:COVERING )?INDEX ${small})`),
  /^SEARCH \w+ USING .*INDEX (?:ends_of_wallet|attempts_of_wallet) \(wallet=\?\)$/,
  /^SEARCH \w+ USING .*INDEX (?:signed_by_wallet|attempts_of_nonce) \(chain_id=\? AND wallet=\?\)$/,
  /^SEARCH \w+ USING .*INDEX (?:ends_of_strategy|swaps_by_strategy|swaps_of_pair|swaps_of_slot|settled_of_strategy) \(strategy=\?\)$/,
  /^SEARCH price USING .*(?<!hour>\?)\)$/,
  /^SEARCH slot USING .*INDEX \w+ \(strategy=\?\)$/,
]

/** One with a limit stops at the first rows of its order, where an index has them in it. */
const isBounded = (sql: string, steps: readonly string[]) =>
  // A row for each strategy and pair: all of them are compared with their swaps, once a start and once a day.
  sql === 'select * from "strategy_total"' ||
  (/ limit \?$/.test(sql) && !steps.some((step) => step.includes('TEMP B-TREE FOR ORDER BY')))

/** What a start asks to compare the books with the chain, from a mark on. */
async function reconcileRecently({ books, ...journal }: Journal): Promise<void> {
  const scope = { chainId: 31_337, wallet, since: 1e12 - 1 }
  const facts = { key: 'I5 x', swapId: undefined, lock: 'LEDGER_BROKEN', facts: {} }
  await journal.reconciliation.noteBroken({ ...scope, breaks: [facts] })
  const last = await journal.log.lastEntry()
  await journal.reconciliation.setMark({
    ...scope,
    mark: { block: 1, ...last, totals: '[]', at: 1e12, limits: '' },
  })
  expect(await journal.reconciliation.mark(scope)).toMatchObject(last)
  await journal.swaps.reserve(samplePlan(), () => {})
  await books.swaps(scope, { after: '', limit: 100 })
  await books.quoteEvents(scope, { after: 0, limit: 1_000 })
  await books.adoption(scope)
  await books.allowances(scope)
  await books.counted(scope)
  await books.accepted(scope)
  await books.totalDefects(scope)
  expect(await books.recentLogDefects(scope)).toMatchObject({ entries: 1, defects: [] })
}

test('nothing that a tick, a swap or a start asks reads what is long over', async () => {
  const place = await places[0]?.make()
  if (place?.database.dialect !== 'sqlite') throw new Error('a file is one of the places')
  const journal = await openJournal({ ...place, clock: { now: () => 1e12, sleep: async () => {} } })
  await journal.wallet.adopt({ chainId: 31_337, wallet, nonceOfChain: 0 })
  await journal.wallet.release({ chainId: 31_337, wallet, nonceOfChain: 0, reason: 'by hand' })
  const asked = vi.spyOn(DatabaseSync.prototype, 'prepare')

  const planned = samplePlan()
  const { swapId } = planned
  await journal.swaps.reserve(planned, () => {})
  const approval = await journal.attempts.commitApproval(sampleBytes(planned, 0, 'APPROVE'))
  const receipt = {
    hash: approval.hash,
    blockNumber: 7,
    blockHash: approval.hash,
    success: true,
    gasUsed: 1n,
    gasPaid: 1n,
    logs: [],
  } satisfies Receipt
  await journal.attempts.closeApproval({ hash: approval.hash, receipt })
  const { hash } = await journal.attempts.commitSwap(sampleBytes(planned, 1), sampleQuote(planned))
  await journal.attempts.noteSent({
    hash,
    swapId,
    block: 1,
    verdict: 'accepted',
    taken: true,
    words: '',
  })
  await journal.limits.spent(samplePlan())
  await journal.allowances.liabilities({ chainId: 31_337, wallet })
  await journal.decisions.inputs('test', {})
  await journal.slots.progress({ strategy: 'test', slot: 1 })
  await journal.slots.begun({ strategy: 'test', from: 1, to: 2 })
  await journal.slots.decided({ strategy: 'test', from: 1, to: 2 })
  await journal.slots.lastClosed('test')
  await journal.slots.strategies()
  await journal.locks.assertUnchanged()
  await journal.log.assertConsistent()
  for (const id of await journal.swaps.open()) await journal.swaps.load(id)
  await journal.attempts.include({ swapId, receipt: { ...receipt, hash } })
  const sold = planned.intent.sell
  const measured = { sold, gasUsed: 1n, gasPaid: 1n, agrees: true, short: false }
  await journal.attempts.settle({
    swapId,
    measured: { ...measured, received: { token: usdc, wei: 1n } },
  })
  await journal.wallet.balanceLedger({ chainId: 31_337, wallet, balances: [sold], block: 100 })
  await journal.wallet.seenTokens({ chainId: 31_337, wallet })
  await journal.breakers.endFacts({ swapId })
  await journal.breakers.lastLook({ strategy: 'test' })
  const seen = { price: { sold, bought: { token: usdc, wei: 1n } } }
  await journal.breakers.notePrice(seen)
  await journal.breakers.pricesOfDay({ ...seen, scope: 'pair WETH/USDC' })
  await journal.decisions.latest()
  await journal.swaps.history({ limit: 20 })
  await reconcileRecently(journal)
  await journal.locks.guard('plan', { wallet })

  const statements = new Set(asked.mock.calls.map(([sql]) => sql))
  const file = new DatabaseSync(place.database.path)
  const found = [...statements].flatMap((sql) => {
    if (/^(?:begin|commit|rollback|insert)/i.test(sql)) return []
    const steps = file
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail))
    const long = steps.filter((step) => slow.some((pattern) => pattern.test(step)))
    return isBounded(sql, steps) ? [] : long.map((step) => `${step}: ${sql}`)
  })
  file.close()
  expect(found).toEqual([])
  expect(statements.size).toBeGreaterThan(50)
  await journal.shut()
  await place.remove()
})
