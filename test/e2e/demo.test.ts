import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { PlanView } from '../../src/dashboard/planView.ts'
import type { StrategyView, ValueView } from '../../src/dashboard/views.ts'
import { callCli } from '../cli/callCli.ts'
import { expectGolden } from '../cli/expectGolden.ts'
import { masked } from '../cli/masked.ts'
import { startBallast } from '../support/runBallast.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'ballast-demo-'))
const started: ReturnType<typeof startBallast>[] = []
afterAll(() => {
  // Of a test that failed before it ended them: the chain and the bot end with it.
  for (const { child } of started) if (child.exitCode === null) child.kill('SIGKILL')
  rmSync(dataDir, { recursive: true, force: true })
})

function demo() {
  const one = startBallast(['demo', '--port', '0', '--data-dir', dataDir])
  started.push(one)
  return one
}
const settled =
  /SETTLED (?:weights|dca-weth|sell-strength): sold [\d.]+ (?:WETH|USDC) for [\d.]+ (?:USDC|WBTC|WETH) · [+-][\d.]+ bps against the indication · (\d+)\/\1 checks · gas \d+ \([\d.]+ ETH\) · tx 0x[0-9a-f]{64}/

type Listed = { id: string; state: string }[]

const dayMs = 86_400_000
const names = ['weights', 'dca-weth', 'sell-strength']

/** Processes whose command line names the demo's folder. */
const processes = () =>
  execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(dataDir))

const pageOf = (said: string) => /on local · (http:\/\/127\.0\.0\.1:\d+)/.exec(said)?.[1] ?? ''

async function read<answer>(url: string): Promise<answer> {
  return (await (await fetch(url)).json()) as answer
}

/** A command on the demo's books, as JSON. */
async function ask<answer>(...argv: string[]): Promise<answer> {
  const file = join(dataDir, 'ballast.yaml')
  const { code, stdout } = await callCli([...argv, '--json', '--config', file], { cwd: dataDir })
  expect(code).toBe(0)
  return JSON.parse(stdout) as answer
}

const seededOf = ({ series }: ValueView) => series.filter(({ seeded }) => seeded === true)

describe('demo', () => {
  test('a strategy settles a swap, the page answers, Ctrl-C is clean, the next start continues', async () => {
    const startedAt = Date.now()
    const first = demo()
    const said = await first.says(settled)
    const [welcome = ''] = said.split('\nBALLAST')
    const shown = welcome.replaceAll(/'\S*ballast\.yaml'/g, "'ballast.yaml'")
    expect(shown.split('\n').filter((line) => line.length > 80)).toEqual([])
    const ended = masked({ code: null, stdout: shown, stderr: '' })
    await expectGolden('demo', ended, { folder: dataDir })

    const url = pageOf(said)
    const page = await (await fetch(url)).text()
    expect(page).toContain('Synthetic prices')
    expect(page).toContain('seeded past')
    expect(await read(`${url}/api/health`)).toMatchObject({ ok: true, ready: true })
    const before = await read<Listed>(`${url}/api/swaps`)
    expect(before.some(({ state }) => state === 'SETTLED')).toBe(true)
    const strategies = await read<StrategyView[]>(`${url}/api/strategies`)
    expect(strategies.map(({ name }) => name)).toEqual(names)
    for (const { nextAt } of strategies) expect(Date.parse(nextAt ?? '')).toBeGreaterThan(startedAt)

    const value = await read<ValueView>(`${url}/api/value`)
    const past = seededOf(value)
    expect(Date.parse(value.at) - Date.parse(past[0]?.at ?? value.at)).toBeGreaterThan(29 * dayMs)
    expect(past.every(({ at }) => Date.parse(at) < startedAt)).toBe(true)
    expect(value.series.filter(({ at }) => Date.parse(at) < startedAt)).toEqual(past)

    // The books begin with the demo, whatever is drawn before it.
    const { from, swaps } = await ask<{ from: string; swaps: number }>('report')
    expect(Date.parse(from)).toBeGreaterThanOrEqual(startedAt)
    expect(swaps).toBeGreaterThanOrEqual(before.length)
    expect(swaps).toBeLessThanOrEqual((await read<Listed>(`${url}/api/swaps`)).length)
    expect(await ask('audit', 'verify')).toMatchObject({ ok: true, broken: null })
    await ask('reconcile')

    // Limits, funds and gas of the first day: no rule will say no, and each strategy goes on.
    const { plan } = await ask<{ plan: PlanView }>('plan', '--next', '24h')
    expect(plan.blocks).toEqual([])
    for (const name of names)
      expect(plan.months.filter((one) => one.strategy === name && one.swaps > 1)).not.toEqual([])

    first.child.kill('SIGINT')
    expect((await first.ended).code).toBe(130)
    expect(processes()).toEqual([])

    const second = demo()
    await second.says(settled)
    const again = pageOf(await second.says('on local'))
    const after = await read<Listed>(`${again}/api/swaps`)
    const decided = before.filter(({ state }) => state === 'SETTLED').map(({ id }) => id)
    expect(after.map(({ id }) => id)).toEqual(expect.arrayContaining(decided))
    const later = seededOf(await read<ValueView>(`${again}/api/value`))
    expect(past.slice(-300)).toEqual(later.slice(-300))
    second.child.kill('SIGTERM')
    expect((await second.ended).code).toBe(0)
    expect(processes()).toEqual([])
  })

  test('SIGKILL leaves nothing running: the chain and the bot end with it', async () => {
    const { child, says, ended } = demo()
    await says('BALLAST treasury')
    child.kill('SIGKILL')
    await ended
    await expect.poll(processes).toEqual([])
  })
})
