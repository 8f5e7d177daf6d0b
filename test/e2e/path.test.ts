import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseDocument } from 'yaml'
import { callCli } from '../cli/callCli.ts'
import { expectGolden } from '../cli/expectGolden.ts'
import { masked } from '../cli/masked.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { startBallast } from '../support/runBallast.ts'

let fork: Fork
let cwd: string

beforeAll(async () => {
  fork = await forkOrigin()
  cwd = join(fork.dataDir, 'new-user')
  mkdirSync(cwd)
})
afterAll(() => fork.close())

const ballast = (...args: string[]) => callCli(args, { cwd })
const lastLine = (text: string) => text.trimEnd().split('\n').at(-1)
const named = ['--strategy', 'dca', '--strategy', 'rebalance', '--strategy', 'threshold']

/** As docs/START.md has it: what the sandbox knows, room for its large wallet, and slots that are soon. */
function fillIn(): void {
  const file = join(cwd, 'ballast.yaml')
  const mine = parseDocument(readFileSync(file, 'utf8'))
  const theirs = parseDocument(readFileSync(fork.ready.config, 'utf8'))
  for (const key of ['chain', 'service', 'tokens', 'wallet']) mine.set(key, theirs.get(key))
  for (const key of [
    'references',
    'perSwap',
    'perDay',
    'notional',
    'maxDeviation',
    'pairs',
    'tokens',
    'stablecoins',
    'bands',
  ])
    mine.setIn(['policy', key], theirs.getIn(['policy', key]))
  mine.setIn(['policy', 'perSwap'], ['10 WETH', '1000000 USDC'])
  mine.setIn(['policy', 'perDay'], ['100 WETH', '9000000 USDC'])
  for (const span of ['perSwap', 'perHour', 'perDay', 'perStrategy'])
    mine.setIn(['policy', 'notional', span], '9000000 USD')
  mine.setIn(['strategies', 2, 'params', 'price'], '2000 USDC per WETH')
  mine.setIn(['dashboard', 'port'], 0)
  writeFileSync(file, mine.toString({ lineWidth: 0 }))
  writeFileSync(join(cwd, '.env'), readFileSync(join(fork.dataDir, '.env')), { mode: 0o600 })
}

async function untilSettled(...args: string[]) {
  const bot = startBallast(['run', ...args], { cwd })
  await bot.says(/^SETTLED threshold/m)
  bot.child.kill('SIGTERM')
  const { code, stdout } = await bot.ended
  // Whether the other two have begun by then depends on the machine, and the log tells times.
  const lines = stdout.split('\n').filter((line) => !/ (?:dca|rebalance)\b/.test(line))
  if (args.includes('--paper'))
    expect(stdout).toMatch(/^PAPER: ends with .* WETH \([+-].* USDC \([+-]/m)
  const known = lines.join('\n').replace(/(?<=^PAPER: ends with ).*/m, 'what they left')
  return { code, stdout: known, stderr: '' }
}

test('from nothing to an unattended bot: every command says which is next', async () => {
  const init = await ballast('config', 'init', ...named)
  expect([init.code, lastLine(init.stdout)]).toEqual([0, 'Next: ballast config check'])

  const blank = await ballast('config', 'check')
  expect(blank.code).toBe(2)
  expect(blank.stderr.match(/is not filled in yet/g)).toHaveLength(5)
  fillIn()

  const check = await ballast('config', 'check')
  expect([check.code, lastLine(check.stdout)]).toEqual([0, 'Next: ballast plan'])
  expect(check.stdout).toContain('ballast doctor')

  const doctor = await ballast('doctor')
  expect([doctor.code, lastLine(doctor.stdout)]).toEqual([0, 'Next: ballast plan'])

  const plan = await ballast('plan', '--next', '30d')
  expect([plan.code, lastLine(plan.stdout)]).toEqual([
    0,
    'Next: ballast dry-run, every strategy once, up to the signature',
  ])

  const dry = await ballast('dry-run')
  expect([dry.code, lastLine(dry.stdout)]).toEqual([
    0,
    'Next: ballast run --paper, unattended, on virtual money',
  ])
  expect(dry.stdout).toMatch(/^WOULD-SWAP {2}dca/m)
  expect(dry.stdout).toMatch(/^WOULD-SWAP {2}threshold/m)

  await expectGolden('run-paper', masked(await untilSettled('--paper')), { folder: cwd })
  await expectGolden('run', masked(await untilSettled()), { folder: cwd })

  const report = await ballast('report')
  expect([report.code, report.stdout]).toEqual([0, expect.stringContaining('threshold')])
  const explained = await ballast('explain', 'dca')
  expect([explained.code, explained.stderr]).toEqual([
    2,
    'ballast: dca has not decided yet. When it will: ballast plan dca (UNKNOWN_ID)\n',
  ])
})
