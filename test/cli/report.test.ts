import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { goodYaml } from '../config/goodYaml.ts'
import { callCli } from './callCli.ts'
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
  await journal.shut()
}

test('report: of a name that nothing has, it says so, and which there are', async () => {
  await trade()
  const { code, stdout, stderr } = await report('--strategy', 'sell-strenght')
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain('Did you mean sell-strength?')
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
  const { stdout } = await report()
  expect(stdout.split('\n').filter((line) => [...line].length > 100)).toEqual([])
  const told = flat(stdout)
  for (const part of [
    'SYNTHETIC: a sandbox',
    'sell-strength WETH>USDC 2 2 6000.7 +1.67 +3.33 +0.50 +2.00 +7.50',
    'blind WETH>USDC 1 1 3000 no benchmark',
    'planned 4, firm quote 4 (100 %), accepted 3 (75 %)',
    'POLICY_NOT_BELOW_REFERENCE × 1',
    'maker-a 3 3 3 0 4.3 %',
    'calendar: 0 done, 0 passed, 4 missed, 0 failed',
    '(4 slots): the process was not running; no benchmark',
    '2 of 3 received what the simulation said',
    '2.17 bps worse than all at the first instant',
  ])
    expect(told).toContain(part)
  expect(told).not.toContain('new, calendar')
})

test('report: of a strategy and a span', async () => {
  await trade()
  const of = async (...args: string[]) => JSON.parse((await report('--json', ...args)).stdout)
  expect((await of('--strategy', 'blind')).swaps).toBe(1)
  expect((await of('--since', '2026-11-20T09:01:00Z')).swaps).toBe(3)
  expect((await of('--until', '2026-11-20T09:01:00Z')).swaps).toBe(1)
  expect((await of('--swaps', '1')).newest).toHaveLength(1)
  expect((await report('--since', '2026-11-20', '--until', '2026-11-20')).code).toBe(2)
  expect((await report('--until', '2026-01-01')).stdout).toContain('No swap was planned')
})

test('report: an empty journal says so with the next command', async () => {
  const { code, stdout } = await report()
  expect([code, stdout]).toEqual([0, expect.stringContaining('It begins with: ballast run')])
  expect(JSON.parse((await report('--json')).stdout)).toMatchObject({ mode: 'live', swaps: 0 })
  const paper = await report('--paper')
  expect(paper.stdout).toMatch(/PAPER: .*ballast\.paper\.db.*ballast run --paper/s)
})
