import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SwapRecord } from '../../src/bot/record.ts'
import { parityOf } from '../../src/bot/report/parityOf.ts'
import { openMarket } from '../../src/cli/compose/openMarket.ts'
import { onPaper } from '../../src/cli/compose/paper/onPaper.ts'
import { openPaper } from '../../src/cli/compose/paper/openPaper.ts'
import { loadConfig } from '../../src/config/loadConfig.ts'
import { systemClock } from '../../src/core/clock.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { openBot } from '../support/openBot.ts'
import { planned, type Wish } from '../support/planned.ts'

/** The same market twice: what one of them fills on paper, the other settles for real. */
let onPaperFork: Fork
let liveFork: Fork

beforeEach(async () => {
  ;[onPaperFork, liveFork] = await Promise.all([forkOrigin(), forkOrigin()])
})
afterEach(async () => {
  await Promise.all([onPaperFork.close(), liveFork.close()])
})

/** Fills wishes one after another on paper, with no key in sight. */
async function fillOnPaper(
  { ready, dataDir }: Fork,
  wishes: readonly Wish[],
): Promise<readonly SwapRecord[]> {
  const file = join(dataDir, 'paper.yaml')
  writeFileSync(file, readFileSync(ready.config, 'utf8'))
  const environment = {}
  const config = onPaper(loadConfig({ file, environment, cwd: dataDir, needs: 'market' }))
  const market = await openMarket(config, systemClock)
  const engine = await openPaper({ config, market, clock: systemClock, balances: undefined })
  try {
    const records: SwapRecord[] = []
    for (const wish of wishes) {
      const plan = await planned({ config, market }, wish)
      await engine.journal.reserve(plan, () => {})
      await engine.driver.drive(plan, new AbortController().signal)
      const record = await engine.journal.record(plan.swapId)
      if (record !== undefined) records.push(record)
    }
    return records
  } finally {
    await engine.close()
    await market.close()
  }
}

const ways: readonly (Wish & { readonly approves: boolean })[] = [
  { sell: '1 WETH', buy: 'USDC', floor: '1 USDC', approves: true },
  { sell: '1000 USDC', buy: 'WETH', floor: '0.0001 WETH', approves: true },
  { sell: '1 ETH', buy: 'USDC', floor: '1 USDC', approves: false },
  { sell: '1000 USDC', buy: 'ETH', floor: '0.0001 ETH', approves: true },
]

describe('parity', () => {
  for (const { approves, ...wish } of ways)
    test(`${wish.sell} for ${wish.buy}: on paper it is what it is for real, twice, to the wei`, async () => {
      // The second of each finds what the first left behind: money moved, and no allowance.
      const fills = await fillOnPaper(onPaperFork, [wish, wish])
      const bot = await openBot(liveFork)
      try {
        for (const fill of fills) {
          const { record, failure } = await bot.swap(wish)
          expect([failure, record.state, fill.state]).toEqual([undefined, 'SETTLED', 'SETTLED'])
          expect({ sold: fill.sold, received: fill.received }).toEqual({
            sold: record.sold,
            received: record.received,
          })
          expect(record.attempts.some(({ kind }) => kind === 'APPROVE')).toBe(approves)
          expect(fill.txHash).toBe(null)
          expect(parityOf(fill, undefined)).toBe(undefined)

          // Of one and the same quote nothing differs, gas included.
          const evidence = await bot.journal.evidence(record.id)
          const parity = parityOf(record, evidence)
          for (const compared of [parity?.sold, parity?.received, parity?.gasUsed])
            expect(compared?.realised).toBe(compared?.predicted)
          // Two quotes have other signatures, and a byte of them that is zero costs 12 gas less.
          const apart = Number(BigInt(fill.gasUsed ?? 0) - BigInt(record.gasUsed ?? 0))
          expect(Math.abs(apart)).toBeLessThanOrEqual(12 * 8)
        }
      } finally {
        await bot.close()
      }
    })
})
