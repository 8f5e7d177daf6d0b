import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { amountOf } from '../../src/core/amount.ts'
import { goodYaml } from '../config/goodYaml.ts'
import { callCli } from './callCli.ts'
import { expectGolden } from './expectGolden.ts'
import { openTraded } from './tradedJournal.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ballast-explain-'))
  writeFileSync(join(cwd, 'ballast.yaml'), goodYaml)
})
afterEach(() => rmSync(cwd, { recursive: true }))

const explain = (...args: string[]) => callCli(['explain', ...args], { cwd })
const slot = Date.UTC(2026, 10, 20, 9)

/** Sentences without their line breaks. */
const flat = (text: string) => text.replace(/\s+/g, ' ')

test('explain: a decision to wait says what the market paid, what was asked, and by how much it fell short', async () => {
  const { decide, journal } = await openTraded(cwd)
  await decide(slot, '2948.15')
  await journal.shut()

  const told = flat((await explain('sell-strength')).stdout)
  expect(told).toContain('Decision #1 of sell-strength: wait, 2026-11-20T09:00:00Z')
  expect(told).toContain(
    'market pays 2948.15 USDC per WETH, params.price 2950 USDC per WETH: short by 0.0628 % (6.28 bps)',
  )
  expect(told).toContain('wallet 3 WETH, 10 USDC')
  expect(told).toContain('recheck the same context decides the same today.')

  const json = JSON.parse((await explain('#1', '--json')).stdout)
  expect(json.decisions[0]).toMatchObject({
    number: 1,
    decided: 'wait',
    comparisons: [
      { bound: 'params.price', apart: { bps: '-6.28', percent: '-0.0628', pays: 'less' } },
    ],
    recheck: { verdict: 'same', paramsChanged: false },
  })
})

test('explain: what was booked from the chain is told apart from what is its own', async () => {
  const { decide, journal, weth, usdc } = await openTraded(cwd)
  const total = { sold: amountOf(weth, '1'), bought: amountOf(usdc, '3000'), swaps: 2 }
  await decide(slot, '2948.15', { totals: [total, { ...total, swaps: 1, recovered: true }] })
  await journal.shut()
  expect(flat((await explain('#1')).stdout)).toContain(
    'so far 1 WETH for 3000 USDC in 2 swaps so far 1 WETH for 3000 USDC in 1 swap, booked from the chain: may be of another strategy',
  )
  const { decisions } = JSON.parse((await explain('#1', '--json')).stdout)
  expect(decisions[0].seen.totals).toMatchObject([
    { swaps: 2, recovered: false },
    { swaps: 1, recovered: true },
  ])
})

test('explain: a swap from its decision to its end, found by each of its names', async () => {
  const { decide, sell, journal } = await openTraded(cwd)
  await decide(slot, '3000')
  const id = await sell({
    slot,
    indicated: '3000',
    decided: '3001',
    firm: '3000.5',
    received: '3000.5',
  })
  await journal.shut()

  // Too little of an id is said to be too little, and an empty one is none.
  const short = await callCli(['history', id.slice(0, 3)], { cwd })
  expect(short.stderr).toContain('an id, or its first 6 characters.')
  expect((await explain('')).stderr).toContain('The id is empty')

  // Every line of it stands in golden/explain-swap.txt.
  const bySlot = await explain('sell-strength@2026-11-20T09:00:00Z')
  expect(flat(bySlot.stdout)).toContain(`Swap ${id} of sell-strength, from decision #1`)
  expect(bySlot.stdout.split('\n').every((line) => line.length <= 100)).toBe(true)

  const byId = JSON.parse((await explain(id.slice(0, 6), '--json')).stdout)
  expect(byId.decisions).toEqual([])
  expect(byId.swaps[0]).toMatchObject({ id, decision: 1, prediction: { missingWei: '0' } })
})

test('explain: a lock on the coin under its other name, or of a scope no version here knows, is told', async () => {
  const { sell, journal } = await openTraded(cwd)
  for (const scope of ['pair ETH/USDC', 'pair USDC/ETH', 'vault 7', 'pair DAI/USDC'])
    await journal.locks.open({
      kind: 'pause',
      scope,
      code: 'BY_HAND',
      reason: 'a look first',
      expiresAt: undefined,
    })
  const id = await sell({ slot, indicated: '3000', firm: '2990' })
  await journal.shut()

  const { swaps } = JSON.parse((await explain(id, '--json')).stdout)
  const scopes = swaps[0].locks.map(({ scope }: { scope: string }) => scope)
  expect(scopes).toEqual(['pair ETH/USDC', 'pair USDC/ETH', 'vault 7'])
})

test('explain: a refusal names every check that failed, and a lock that held', async () => {
  const { sell, journal } = await openTraded(cwd)
  await journal.locks.open({
    kind: 'pause',
    scope: 'strategy sell-strength',
    code: 'BY_OPERATOR',
    reason: 'looking into it',
    expiresAt: undefined,
  })
  await journal.locks.open({
    kind: 'pause',
    scope: 'strategy another',
    code: 'BY_OPERATOR',
    reason: 'not of this one',
    expiresAt: undefined,
  })
  const id = await sell({ slot, indicated: '3000', firm: '2960' })
  await journal.shut()

  const told = flat((await explain(id)).stdout)
  expect(told).toContain('REJECTED POLICY_NOT_BELOW_REFERENCE')
  expect(told).toContain('1 of 2 passed')
  expect(told).toContain('FAILED policy.not-below-reference: expected 3000, was 2960')
  expect(told).toContain('(pause, strategy sell-strength) held since')
  expect(told).not.toContain('not of this one')
})

test('explain: parameters or code that have changed since are told, and a strategy that is gone is still explained', async () => {
  const { decide, journal } = await openTraded(cwd)
  await decide(slot, '2948.15')
  await decide(slot + 5_000, '3000')
  await journal.shut()
  const rewrite = (from: string, to: string) =>
    writeFileSync(
      join(cwd, 'ballast.yaml'),
      readFileSync(join(cwd, 'ballast.yaml'), 'utf8').replace(from, to),
    )

  rewrite('2950 USDC', '2900 USDC')
  expect(flat((await explain('sell-strength')).stdout)).toContain(
    'the same context decides the same today. Its parameters in the configuration have changed since',
  )
  rewrite('use: threshold', 'use: dca')
  rewrite('price: 2900 USDC, every: 5s', 'cron: "0 9 * * *", timeZone: UTC, tolerance: 50 bps')
  expect(flat((await explain('sell-strength')).stdout)).toContain(
    'the same context decides otherwise today',
  )
  rewrite('name: sell-strength', 'name: another')
  const gone = flat((await explain('#1')).stdout)
  expect(gone).toContain('short by 0.0628 %')
  expect(gone).toContain("'sell-strength' is not in the configuration any more")
  rewrite('cron: "0 9 * * *"', 'cron: "never"')
  expect(flat((await explain('sell-strength')).stdout)).toContain('cannot be loaded')
})

test('explain: what is unknown is one sentence with what comes near, and exit code 2', async () => {
  await expectGolden('explain-empty', await explain('sell-strength'), { folder: cwd })
  const { decide, sell, journal } = await openTraded(cwd)
  await decide(slot, '2948.15')
  const id = await sell({ slot, indicated: '3000', firm: '2960' })
  const [from, upto] = [slot + 86_400_000, slot + 3 * 86_400_000]
  await journal.slots.close({
    ...{ strategy: 'weekly', slot: from, upto, slots: 3, calendar: '' },
    ...{ state: 'missed', reason: 'not decided in time' },
  })
  await journal.shut()
  const start = id.slice(0, 5)
  const names = {
    'explain-near': 'sell-strenght',
    'explain-two': start,
    'explain-number': '#77',
    'explain-no-slot': 'sell-strength@2026-11-20T10:00:00Z',
    'explain-missed': 'weekly@2026-11-22T09:00:00Z',
    'explain-no-instant': 'sell-strength@yesterday',
    'explain-nobody': 'nobody@2026-11-20T10:00:00Z',
  }
  for (const [file, name] of Object.entries(names)) {
    const ended = await explain(name)
    // Drawn anew for each swap.
    const stderr = ended.stderr.replaceAll(id, 'ID').replaceAll(`'${start}'`, "'START'")
    await expectGolden(file, { ...ended, stderr }, { folder: cwd })
  }
  // Of which zone, nobody knows; and no day of any month.
  for (const instant of ['2026-11-20T09:00:00', '2026-02-30T09:00:00Z'])
    expect(await explain(`sell-strength@${instant}`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`'${instant}' is not an instant`),
    })
})
