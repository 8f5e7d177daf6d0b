import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeFunctionData, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Address } from '../../src/core/token.ts'
import { accountsOf } from '../../src/sandbox/accounts.ts'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import { callCli } from '../cli/callCli.ts'
import { balances } from '../support/balances.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { startBallast } from '../support/runBallast.ts'
import { transact } from '../support/transact.ts'
import { until } from '../support/until.ts'

/** Three jobs over one wallet: too much cash, a stablecoin that will lose its peg, and a price that will fall. */
const strategies = `strategies:
  - name: cash
    use: cash-sweep
    params: { hold: 240000 USDC, above: 245000 USDC, below: 230000 USDC, sweep: 15000 USDC, refill: 8000 DAI, tolerance: 30 bps, maxDeviation: 100 bps, every: 1s }
  - name: out
    use: depeg-exit
    priority: 10
    params: { sell: 600 TETHER, buy: USDC, floor: 0.97 USDC, back: 0.99 USDC, confirm: 2 of 2, every: 1s, tolerance: 100 bps, limit: 600 TETHER }
  - name: dip
    use: mean-reversion
    priority: 20
    params: { buy: 300 USDC, sell: 200 TETHER, budget: 300 USDC, band: 2 %, stop: 10 %, every: 1s, looks: 48, least: 3, tolerance: 50 bps }
`

let fork: Fork
let config: string

beforeAll(async () => {
  fork = await forkOrigin()
  config = join(fork.dataDir, 'examples.yaml')
  const text = readFileSync(fork.ready.config, 'utf8')
    .replace('confirmations: 2', 'confirmations: 0')
    .replace('  tokens: [', '  tokens: [DAI, TETHER, ')
    .replace('  pairs: [', '  pairs: [DAI/USDC, TETHER/USDC, ')
    .replace('  perSwap: [', '  perSwap: [8000 DAI, 1000 TETHER, ')
    .replace('  perDay: [', '  perDay: [100000 DAI, 10000 TETHER, ')
    // The pool alone says what it is worth: a feed would have to fall with it.
    .replace(/^.*pair: TETHER\/USD,.*\n/m, '')
    .replace(/strategies:\n(?: {2}.*\n)+/, strategies)
  writeFileSync(config, text)
})
afterAll(() => fork.close())

const addressOf = (symbol: string): Address => fork.ready.tokens[symbol]?.address ?? '0x'
const poolOf = (pair: string) =>
  (new RegExp(`pair: ${pair}, .*address: "(0x\\w+)"`).exec(readFileSync(config, 'utf8'))?.[1] ??
    '0x') as Address

const abi = parseAbi(['function mint(address to, uint256 wei)', 'function sync()'])

/** Someone puts a twentieth more of it into its pool: it is worth that much less from then on. */
async function losePeg(): Promise<void> {
  const { key: privateKey } = accountsOf(fork.world).deployer
  const pool = poolOf('TETHER/USDC')
  const mint = encodeFunctionData({ abi, functionName: 'mint', args: [pool, 50_000_000_000n] })
  const sync = encodeFunctionData({ abi, functionName: 'sync' })
  for (const [to, data] of [
    [addressOf('TETHER'), mint],
    [pool, sync],
  ] as const) {
    const { success } = await transact(fork.rpc, { privateKey, to, data })
    expect(success).toBe(true)
  }
  // A pool is believed when it has said the same for some blocks.
  for (let blocks = 0; blocks < 6; blocks++) await fork.rpc.request(anvilCalls.mine)
}

const ballast = (...args: string[]) => callCli([...args, '--config', config], { cwd: fork.dataDir })

test('each of the three does its swap when its time has come, and none before', async () => {
  expect((await ballast('config', 'check')).code).toBe(0)
  const before = await balances(fork.rpc, fork.ready)
  const bot = startBallast(['run', '--port', '0', '--config', config])
  await bot.says(/^WAIT {4}out: The market pays 0\.99\d* USDC per TETHER.*: the floor is 0\.97 /m)
  await bot.says(/^WAIT {4}cash: Holds 240000 USDC, between /m)
  // The log tells a reason once, however its numbers move.
  await until(async () => (await ballast('explain', 'dip')).stdout.includes('the average of'), {
    everyMs: 500,
  })
  expect(bot.said()).not.toMatch(/SETTLED (?:out|dip)/)

  await losePeg()
  await bot.says(/^SETTLED dip: /m)
  await bot.says(/^WAIT {4}out: Sold 600 TETHER of at most 600 TETHER: finished/m)
  bot.child.kill('SIGTERM')
  const { code, stdout } = await bot.ended
  expect(code).toBe(0)
  // Nothing was told to sell that was not theirs, and no policy had to stop them.
  expect(stdout).not.toMatch(/^(?:REFUSED|REJECTED) /m)

  const { swaps } = JSON.parse((await ballast('history', '--json')).stdout) as {
    readonly swaps: readonly {
      readonly strategy: string
      readonly sell: { readonly wei: string }
    }[]
  }
  const soldBy = (name: string) =>
    swaps.filter(({ strategy }) => strategy === name).map(({ sell }) => sell.wei)
  expect(soldBy('cash')).toEqual(['10000000000'])
  expect(soldBy('out')).toEqual(['600000000'])
  expect(soldBy('dip')).toEqual(['300000000'])
  const after = await balances(fork.rpc, fork.ready)
  const gained = (symbol: string) => (after[symbol] ?? 0n) - (before[symbol] ?? 0n)
  expect(gained('DAI')).toBeGreaterThan(9_970n * 10n ** 18n)
  // 300 USDC bought about 314 TETHER, and 600 TETHER brought about 569 USDC: a twentieth below the peg.
  expect(gained('TETHER')).toBeGreaterThan(-290n * 10n ** 6n)
  expect(gained('USDC')).toBeGreaterThan((-10_000n - 300n + 540n) * 10n ** 6n)
  expect((await ballast('explain', 'out')).stdout).toContain(
    'the same context decides the same today',
  )
  expect((await ballast('reconcile')).code).toBe(0)
})
