import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { dayMs } from '../../src/core/spans.ts'
import { goodYaml } from '../config/goodYaml.ts'
import { callCli } from './callCli.ts'
import { expectGolden } from './expectGolden.ts'
import { openTraded } from './tradedJournal.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ballast-report-'))
  writeFileSync(join(cwd, 'ballast.yaml'), goodYaml)
})
afterEach(() => rmSync(cwd, { recursive: true }))

const report = (...args: string[]) => callCli(['report', ...args], { cwd })
const slot = Date.UTC(2026, 10, 20, 9)
const sale = { slot, indicated: '3000', decided: '3001', firm: '3000.5', received: '3000.5' }
const flat = (text: string) => text.replace(/\s+/g, ' ')

/** Two sales that settled, one that was refused, one without a benchmark, and slots that were missed. */
async function trade() {
  const { journal, sell } = await openTraded(cwd)
  await sell(sale)
  await sell({ ...sale, slot: slot + 60_000, decided: '3003', asked: '3002', received: '3000.2' })
  await sell({ slot: slot + 120_000, indicated: '3000', firm: '2960' })
  await sell({
    slot: slot + 180_000,
    indicated: '3000',
    firm: '3000',
    received: '3000',
    strategy: 'blind',
  })
  await journal.slots.close({
    strategy: 'sell-strength',
    slot: slot + 240_000,
    upto: slot + 420_000,
    slots: 4,
    calendar: '',
    state: 'missed',
    reason: 'the process was not running',
  })
  await journal.slots.close({
    strategy: 'new',
    slot,
    upto: slot,
    slots: 0,
    calendar: '',
    state: 'passed',
    reason: 'The calendar begins here.',
  })
  await after(journal)
  await journal.shut()
}

/** What the market did afterwards, as the journal is told it: two dollars less each time, and nothing known after a minute. */
async function after({ aftermath }: Awaited<ReturnType<typeof openTraded>>['journal']) {
  const seen = await aftermath.due({ limit: 10, at: slot + dayMs })
  for (const [index, one] of seen.entries()) {
    const mark = (afterMs: number, fair: bigint) => ({
      ...{ afterMs, readAt: slot, block: 7, fair: fair * 10n ** 6n, sources: ['a feed'] },
    })
    const missing = { afterMs: 60_000, readAt: slot, block: 7, missing: 'no source' }
    const block = { when: 'inclusion', block: 6, pool: one.buy.address, bought: 2_990n * 10n ** 6n }
    await aftermath.note(one, {
      at: one.at,
      nextAt: undefined,
      found: {
        marks: [mark(0, 3_002n), mark(1_000, 3_000n), mark(10_000, 2_998n), missing],
        ...(one.filled
          ? {
              pools: [
                block as { when: 'inclusion'; block: number; pool: `0x${string}`; bought: bigint },
              ],
              neighbours: {
                ...{ pools: 1, before: 1, after: 1, suspected: index === 0 },
                nearest: [],
              },
            }
          : {}),
      },
    })
  }
}

test('report: of a name that nothing has, it says so, and which there are', async () => {
  await trade()
  await expectGolden('report-unknown', await report('--strategy', 'sell-strenght'), { folder: cwd })
  // Renamed or removed since: what it traded is reported all the same.
  expect((await report('--strategy', 'blind')).code).toBe(0)
})

test('report: costs by part that add up, in the bought token and in bps', async () => {
  await trade()
  const { execution, newest } = JSON.parse((await report('--json')).stdout)
  const [blind, seen] = execution
  expect(blind).toMatchObject({
    strategy: 'blind',
    swaps: 1,
    benchmark: 'no benchmark',
    indicationOnly: 1,
    cost: null,
    bps: null,
  })
  expect(seen).toMatchObject({
    strategy: 'sell-strength',
    swaps: 2,
    measured: 2,
    worth: { text: '6004' },
    received: { text: '6000.7' },
    // 3001 to 3000.5 and 3003 to 3002 to 3000.5 to 3000.2, and 0.0002 of the coin twice.
    cost: {
      delay: { text: '1' },
      spread: { text: '2' },
      slippage: { text: '0.3' },
      gas: { text: '1.2006' },
      total: { text: '4.5006' },
    },
    bps: { delay: 1.67, spread: 3.33, slippage: 0.5, gas: 2, total: 7.5 },
  })
  expect(newest.at(-1)).toMatchObject({ strategy: 'blind', benchmark: 'indication' })
  expect(newest[1]).toMatchObject({
    prices: {
      decision: '3003 USDC per WETH',
      indication: '3000 USDC per WETH',
      firm: '3000.5 USDC per WETH',
      realised: '3000.2 USDC per WETH',
    },
    slippageBps: 1,
    overIndicationBps: 1.66,
    timing: { quoteAgeMs: 12, inclusionMs: 1_000, inclusionBlocks: 1 },
  })
})

test('report: for a person it is labelled, fits the window, and has no figure where there is no benchmark', async () => {
  await trade()
  const ended = await report()
  expect(ended.stdout.split('\n').filter((line) => [...line].length > 80)).toEqual([])
  await expectGolden('report-costs', ended, { folder: cwd })
})

test('report: what the market did after fills and after refusals', async () => {
  await trade()
  const { quality, opportunity, newest } = JSON.parse((await report('--json')).stdout)
  // 3000.5 and 3000.2 received; the middle was 3002 in the block, then 3000 and 2998.
  expect(quality[1]).toMatchObject({
    ...{ strategy: 'sell-strength', swaps: 2, effectiveSpreadBps: 10.99 },
    markouts: [
      { afterSeconds: 0, swaps: 2, missing: 0, gain: { text: '-3.3' }, bps: -5.5 },
      { afterSeconds: 1, gain: { text: '0.7' }, bps: 1.17 },
      { afterSeconds: 10, gain: { text: '4.7' }, bps: 7.84 },
      { afterSeconds: 60, swaps: 0, missing: 2, bps: null },
    ],
    pools: [{ when: 'inclusion', swaps: 2, gain: { text: '20.7' }, bps: 34.62 }],
    sandwich: { checked: 2, neighboured: 2, suspected: 1 },
  })
  // Without a middle at the decision that of its end counts: it went from 3002 to 3000 and 2998.
  expect(opportunity).toMatchObject([
    {
      ...{ strategy: 'sell-strength', wishes: 1 },
      costs: [
        { afterSeconds: 0, cost: { text: '0' } },
        { afterSeconds: 1, cost: { text: '2' }, bps: 6.66 },
        { afterSeconds: 10, cost: { text: '4' }, bps: 13.32 },
        { afterSeconds: 60, wishes: 0, missing: 1, bps: null },
      ],
    },
  ])
  expect(newest[0]).toMatchObject({
    effectiveSpreadBps: 9.99,
    markouts: [{ block: 7, gain: { text: '-1.5' } }, {}, {}, { gain: null, missing: 'no source' }],
    pools: [{ when: 'inclusion', block: 6, gain: { text: '10.5' } }],
  })
  const told = flat((await report()).stdout)
  for (const part of [
    'sell-strength WETH>USDC +10.99 +1.17 +7.84 ? +34.62',
    '2 of 2 swaps through pools had neighbours in their block, 1 LIKE A SANDWICH',
    'sell-strength WETH>USDC 1 +6.66 +13.32 ?',
    '2 marks could not be read',
  ])
    expect(told).toContain(part)
})

test('report: of a strategy and a span', async () => {
  await trade()
  const of = async (...args: string[]) => JSON.parse((await report('--json', ...args)).stdout)
  expect((await of('--strategy', 'blind')).swaps).toBe(1)
  expect((await of('--since', '2026-11-20T09:01:00Z')).swaps).toBe(3)
  expect((await of('--until', '2026-11-20T09:01:00Z')).swaps).toBe(1)
  expect((await of('--swaps', '1')).newest).toHaveLength(1)
  expect((await report('--since', '2026-11-20', '--until', '2026-11-20')).code).toBe(2)
  await expectGolden('report-no-swap', await report('--until', '2026-01-01'), { folder: cwd })
})

test('report: an empty journal says so with the next command', async () => {
  await expectGolden('report-empty', await report(), { folder: cwd })
  expect(JSON.parse((await report('--json')).stdout)).toMatchObject({ mode: 'live', swaps: 0 })
  await expectGolden('report-empty-paper', await report('--paper'), { folder: cwd })
})
