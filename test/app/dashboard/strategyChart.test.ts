import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Served } from '../../../src/app/dashboard/served.ts'
import { strategyDetail } from '../../../src/app/dashboard/strategyDetail.ts'
import { loadStrategies } from '../../../src/bot/strategy/load.ts'
import { contextWith } from '../../../src/bot/strategy/testing.ts'
import { amountOf } from '../../../src/core/amount.ts'
import { openTraded } from '../../cli/tradedJournal.ts'
import { goodYaml } from '../../config/goodYaml.ts'

test('the chart of a strategy draws the pair that it watches now, and none of before', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'ballast-chart-'))
  writeFileSync(join(cwd, 'ballast.yaml'), goodYaml)
  const { journal, config, decide } = await openTraded(cwd)
  try {
    const slot = Date.UTC(2026, 10, 20, 9)
    const token = (symbol: string) => config.tokens.bySymbol.get(symbol) ?? expect.unreachable()
    const [weth, usdc] = [token('WETH'), token('USDC')]
    const other = { ...weth, symbol: 'WBTC', address: `0x${'9'.repeat(40)}` as const }
    const price = (sold: typeof weth, bought: string) => ({
      sold: amountOf(sold, '1'),
      bought: amountOf(usdc, bought),
    })
    const wish = {
      kind: 'swap' as const,
      intents: [{ sell: amountOf(other, '1'), buy: usdc, floor: amountOf(usdc, '1'), reason: 'x' }],
    }
    for (const [index, bought] of ['90000', '90100'].entries()) {
      const at = slot + index * 60_000
      const indications = [{ ...price(other, bought), route: [] }]
      const context = contextWith<unknown>(
        {},
        { now: at, slot: at, indications, references: [price(other, bought)] },
      )
      await journal.decisions.record({
        strategy: 'sell-strength',
        slot: at,
        at,
        context,
        decision: wish,
      })
    }
    await decide(slot + 120_000, '3000', { references: [price(weth, '3001')] })
    const strategies = await loadStrategies(config)
    const served = { journal, config, strategies: () => strategies, clock: { now: () => slot } }
    const detail = await strategyDetail(served as unknown as Served, {
      ...{ name: 'sell-strength', before: undefined },
    })
    expect(detail?.chart).toMatchObject({ sell: 'WETH', buy: 'USDC' })
    const rates = (drawn: readonly { readonly rate: number }[] = []) =>
      drawn.map(({ rate }) => rate)
    expect(rates(detail?.chart?.points)).toEqual([3_000])
    expect(rates(detail?.chart?.references)).toEqual([3_001])
    expect(rates(detail?.chart?.marks.filter(({ kind }) => kind === 'wish'))).toEqual([3_000])
  } finally {
    await journal.shut()
    rmSync(cwd, { recursive: true })
  }
})
