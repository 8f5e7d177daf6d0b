import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Outcome } from '../../src/app/outcome.ts'
import { whoRuns } from '../../src/app/whoRuns.ts'
import { callCli } from '../cli/callCli.ts'
import { balances } from '../support/balances.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { startRpcProxy } from '../support/rpcProxy.ts'
import { runBallast } from '../support/runBallast.ts'
import { swappedEvents } from '../support/swappedEvents.ts'

let fork: Fork
let proxy: Awaited<ReturnType<typeof startRpcProxy>>

beforeAll(async () => {
  fork = await forkOrigin()
  proxy = await startRpcProxy(fork.ready.rpcUrl)
})
afterAll(async () => {
  await proxy.close()
  await fork.close()
})

type Ended = Awaited<ReturnType<typeof callCli>>
const ballast = (...args: string[]): Promise<Ended> =>
  callCli([...args, '--config', fork.ready.config], {
    ...{ environment: { RPC_URL: proxy.url }, cwd: fork.dataDir },
  })
const results = ({ stdout }: Pick<Ended, 'stdout'>): { mode: string; results: Outcome[] } =>
  JSON.parse(stdout)
const only = (ended: Ended): Outcome => {
  const [outcome, ...more] = results(ended).results
  expect(more).toEqual([])
  if (outcome === undefined) throw new Error('no outcome')
  return outcome
}
const wei = (amount: { wei: string } | null | undefined) => BigInt(amount?.wei ?? 0)

describe('dry-run', () => {
  test('default: shows what would happen with every check, and sends nothing', async () => {
    const ended = await ballast('dry-run', '--json')
    expect(ended.code).toBe(0)
    const { mode, results: all } = results(ended)
    expect(mode).toBe('dry-run')
    expect(all.map(({ strategy, outcome }) => [strategy, outcome])).toEqual([
      ['sell-strength', 'would-swap'],
      ['dca-weth', 'would-swap'],
    ])
    for (const { checks, simulation, firm } of all) {
      expect(checks.length).toBeGreaterThanOrEqual(12)
      expect(checks.filter(({ ok }) => !ok)).toEqual([])
      expect(new Set(checks.map(({ name }) => name)).size).toBe(checks.length)
      for (const { name, expected, actual } of checks)
        expect([typeof name, typeof expected, typeof actual]).toEqual([
          'string',
          'string',
          'string',
        ])
      expect(wei(simulation?.received)).toBe(wei(firm?.amountOut))
    }
    expect(proxy.seen.length).toBeGreaterThan(0)
    expect(proxy.count('eth_sendRawTransaction')).toBe(0)
    expect(proxy.count('eth_sendTransaction')).toBe(0)
  })

  test('without a key: is the same', async () => {
    // A folder of its own: the key is in the `.env` beside the written configuration.
    const folder = join(fork.dataDir, 'keyless')
    mkdirSync(folder)
    copyFileSync(fork.ready.config, join(folder, 'ballast.yaml'))
    const ended = await runBallast(['dry-run', '--json'], { cwd: folder })
    expect(results(ended).results.map(({ outcome }) => outcome)).toEqual([
      'would-swap',
      'would-swap',
    ])
  })
})

describe('swap --live', () => {
  const ways: [sell: string, buy: string][] = [
    ['1 WETH', 'USDC'],
    ['1 ETH', 'USDC'],
    ['1000 USDC', 'ETH'],
    ['1000 USDC', 'WETH'],
  ]
  for (const [sell, buy] of ways)
    test(`${sell} for ${buy}: settles, and the balances moved by exactly what is reported`, async () => {
      const before = await balances(fork.rpc, fork.ready)
      const ended = await ballast('swap', '--sell', sell, '--buy', buy, '--live', '--json')
      const after = await balances(fork.rpc, fork.ready)
      expect(ended).toMatchObject({ code: 0, stderr: '' })
      const { outcome, swap, firm, simulation } = only(ended)
      expect({ outcome, state: swap?.state }).toEqual({ outcome: 'settled', state: 'SETTLED' })

      const moved = (symbol: string) => (after[symbol] ?? 0n) - (before[symbol] ?? 0n)
      const sold = sell.split(' ')[1] ?? ''
      const untouched = Object.keys(before).filter((one) => ![sold, buy, 'ETH'].includes(one))
      expect(untouched.map(moved)).toEqual(untouched.map(() => 0n))
      // Gas is paid in ETH: by the swap, and by the approval before it.
      const gas = BigInt(await gasPaid(swap?.id ?? ''))
      const withoutGas = (symbol: string) => moved(symbol) + (symbol === 'ETH' ? gas : 0n)
      expect(withoutGas(sold)).toBe(-wei(swap?.sold))
      expect(withoutGas(buy)).toBe(wei(swap?.received))
      // A maker's fill is exact: what was predicted is what happened, to the wei.
      expect(wei(swap?.received)).toBe(wei(simulation?.received))
      expect(wei(swap?.received)).toBe(wei(firm?.amountOut))
      // The log keeps who requested it.
      const told = JSON.parse((await ballast('explain', swap?.id ?? '', '--json')).stdout)
      const [planned] = told.swaps[0].steps
      expect(planned).toMatchObject({ step: 'planned' })
      expect(planned.text).toContain(`, for ${whoRuns()}`)
    })

  /** By the receipts of all transactions of a swap, as the chain has them. */
  async function gasPaid(swapId: string): Promise<bigint> {
    const { swaps } = JSON.parse((await ballast('history', '--json')).stdout)
    const { attempts } = swaps.find(({ id }: { id: string }) => id === swapId)
    let paid = 0n
    for (const { hash } of attempts) {
      const receipt = await fork.rpc.request({
        method: 'eth_getTransactionReceipt',
        params: [hash],
        parse: (answer) => answer as { gasUsed: string; effectiveGasPrice: string },
      })
      paid += BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
    }
    return paid
  }

  test('a floor above the market: is refused, exit 3, and nothing is swapped', async () => {
    const before = (await swappedEvents(fork.rpc, fork.ready)).length
    const ended = await ballast(
      'swap',
      '--sell',
      '1 WETH',
      '--buy',
      'USDC',
      '--floor',
      '9999 USDC',
      '--live',
      '--json',
    )
    expect(ended.code).toBe(3)
    expect(only(ended)).toMatchObject({ outcome: 'refused', code: 'VERIFY_FLOOR', stage: 'verify' })
    expect(await swappedEvents(fork.rpc, fork.ready)).toHaveLength(before)
  })

  test('more than policy allows: is refused before anybody is asked for a quote', async () => {
    const ended = await ballast('swap', '--sell', '6 WETH', '--buy', 'USDC', '--live', '--json')
    expect(ended.code).toBe(3)
    expect(only(ended)).toMatchObject({
      outcome: 'refused',
      code: 'POLICY_PER_SWAP',
      stage: 'policy',
    })
  })

  test('the chain and the journal know the same swaps', async () => {
    const { swaps } = JSON.parse((await ballast('history', '--json')).stdout)
    const settled = swaps.filter(({ state }: { state: string }) => state === 'SETTLED')
    const events = await swappedEvents(fork.rpc, fork.ready)
    expect(settled).toHaveLength(4)
    expect(
      settled.map(({ received }: { received: { wei: string } }) => received.wei).sort(),
    ).toEqual(events.map(({ amountOut }) => amountOut.toString()).sort())
    expect(settled.every(({ agrees }: { agrees: boolean }) => agrees)).toBe(true)
  })

  test('no output carries the key', async () => {
    const key = fork.ready.wallets.treasury?.privateKey.slice(2) ?? 'missing'
    for (const args of [['config', 'show'], ['history', '--json'], ['doctor']]) {
      const { stdout, stderr } = await ballast(...args)
      expect(stdout + stderr).not.toContain(key)
    }
  })
})
