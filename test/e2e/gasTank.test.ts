import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readJournal } from '../../src/bot/journal/readJournal.ts'
import { type Amount, show } from '../../src/core/amount.ts'
import { systemClock } from '../../src/core/clock.ts'
import { hourMs } from '../../src/core/spans.ts'
import type { Address } from '../../src/core/token.ts'
import { nativeAddress } from '../../src/core/token.ts'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import { keepBooks } from '../../src/story/month/books.ts'
import { readBooks } from '../../src/story/month/readBooks.ts'
import { statementOf } from '../../src/story/month/statement.ts'
import { callCli } from '../cli/callCli.ts'
import { balanceOf } from '../support/balanceOf.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { openBot } from '../support/openBot.ts'
import { startRpcProxy } from '../support/rpcProxy.ts'
import { startBallast } from '../support/runBallast.ts'

const tank: Address = '0x00000000000000000000000000000000000a9A51'
const full: Address = '0x00000000000000000000000000000000000a9A52'
const before = 10n ** 16n

let fork: Fork
let proxy: Awaited<ReturnType<typeof startRpcProxy>>
beforeEach(async () => {
  fork = await forkOrigin()
  proxy = await startRpcProxy(fork.ready.rpcUrl)
  await fork.rpc.request(anvilCalls.setBalance(tank, before))
  await fork.rpc.request(anvilCalls.setBalance(full, 10n ** 18n))
})
afterEach(async () => {
  await proxy.close()
  await fork.close()
})

/** A file whose only strategy refills both accounts, and lets these receive. */
function refilling(...recipients: readonly Address[]): string {
  const tanks = `["${tank}", "${full}"]`
  const file = join(fork.dataDir, 'gas.yaml')
  const text = readFileSync(fork.ready.config, 'utf8')
    .replace('recipients: []', `recipients: ${JSON.stringify(recipients)}`)
    .replace(
      /strategies:\n(?: {2}.*\n)+/,
      `strategies:
  - name: gas
    use: gas-tank
    params: { sell: 600 USDC, tanks: ${tanks}, below: 0.05 ETH, to: 0.2 ETH, tolerance: 50 bps, every: 1s }
`,
    )
  writeFileSync(file, text)
  return file
}

const env = () => ({ RPC_URL: proxy.url })
const ballast = async (config: string, ...args: string[]) =>
  callCli([...args, '--config', config], { environment: env(), cwd: fork.dataDir })
const holds = (account: Address) => balanceOf(fork.rpc, nativeAddress, account)
const sent = () => proxy.seen.filter(({ method }) => method === 'eth_sendRawTransaction')

/** Runs until the tank has been refilled and a later look had nothing to do. */
async function refill(config: string, ...more: readonly string[]) {
  const bot = startBallast(['run', '--port', '0', '--config', config, ...more], { env: env() })
  await bot.says(/^SETTLED .*[\s\S]*^WAIT {4}gas: The emptiest tank has enough/m)
  bot.child.kill('SIGTERM')
  return bot.ended
}

test('a tank below its bound receives exactly what the swap brought, once; the books add up and name it', async () => {
  const config = refilling(tank, full)
  expect((await ballast(config, 'config', 'check')).code).toBe(0)
  const refilled = await refill(config)
  expect(refilled.code).toBe(0)
  expect(refilled.stdout).toContain(`ETH to ${tank} · `)

  const history = JSON.parse((await ballast(config, 'history', '--json')).stdout)
  const swaps = history.swaps.filter(({ strategy }: { strategy: string }) => strategy === 'gas')
  expect(swaps).toHaveLength(1)
  const [{ id, state, received, recipient }] = swaps
  expect(recipient).toBe(tank)
  const shown = (await ballast(config, 'history')).stdout.replace(/\s+/g, ' ')
  expect(shown).toContain('ETH sent on')
  expect((await ballast(config, 'history', id)).stdout).toMatch(new RegExp(`sent on to +${tank}`))
  expect(state).toBe('SETTLED')
  expect(await holds(tank)).toBe(before + BigInt(received.wei))
  expect(await holds(full)).toBe(10n ** 18n)
  // What it sold brings the tank to 0.2 at the indicated price of 600 USDC, which pays a little less than 570 do.
  expect(await holds(tank)).toBeGreaterThanOrEqual(2n * 10n ** 17n)
  expect(await holds(tank)).toBeLessThan(202n * 10n ** 15n)

  const exported = JSON.parse((await ballast(config, 'export', '--what', 'swaps', '--json')).stdout)
  expect(JSON.stringify(exported)).toContain(`"recipient":"${tank}"`)
  const told = async (name: string) =>
    (await ballast(config, 'explain', name)).stdout.replace(/\s+/g, ' ')
  const story = await told(id)
  expect(story).toContain(`arrives at ${tank}`)
  const decision = await told('gas')
  expect(decision).toContain(`${full} holds 1 ETH`)
  expect(decision).toContain('the same context decides the same today')
  expect((await ballast(config, 'reconcile')).code).toBe(0)

  const bot = await openBot({ ...fork, ready: { ...fork.ready, config } })
  try {
    expect(await bot.verdicts()).toEqual([])
    const sums = await sumsOf(bot)
    const [record] = await bot.journal.swaps.history({ limit: 1, strategy: 'gas' })
    expect(sums.deposits).toBe(0n)
    expect(sums.withdrawals).toBe(0n)
    // 1 USD a USDC, and 8 decimals a USD.
    expect(sums.sentOn).toBeGreaterThan(0n)
    expect(sums.sentOn).toBe(BigInt(record?.sold?.wei ?? 0) * 100n)
  } finally {
    await bot.close()
  }
})

test('a tank that policy does not list is refused, and nothing is signed', async () => {
  const config = refilling(full)
  const { code, stdout, stderr } = await ballast(config, 'config', 'check')
  expect(code).toBe(2)
  expect(stdout + stderr).toContain(
    `policy.recipient: expected the wallet or a listed recipient, got ${tank}`,
  )
  const bot = startBallast(['run', '--port', '0', '--config', config], { env: env() })
  await bot.says(/REFUSED gas: .*POLICY_RECIPIENT/)
  bot.child.kill('SIGTERM')
  await bot.ended
  const { swaps } = JSON.parse((await ballast(config, 'history', '--json')).stdout)
  expect(swaps).toEqual([])
  expect(sent()).toEqual([])
  expect(await holds(tank)).toBe(before)
})

test('on paper a tank is refilled once as well, over a restart, and nothing is sent', async () => {
  const config = refilling(tank, full)
  await refill(config, '--paper')
  const again = startBallast(['run', '--paper', '--port', '0', '--config', config], { env: env() })
  await again.says(/^WAIT {4}gas: The emptiest tank has enough/m)
  again.child.kill('SIGTERM')
  await again.ended
  const { swaps } = JSON.parse((await ballast(config, 'history', '--paper', '--json')).stdout)
  expect(swaps).toHaveLength(1)
  expect(sent()).toEqual([])
  expect(await holds(tank)).toBe(before)
})

/** The sums from the first valuation of the run to one of now, an hour on; they add up, or it throws. */
async function sumsOf({ config, journal }: Awaited<ReturnType<typeof openBot>>) {
  const { tokens: coin, wallet, chain, policy, database, haltFile } = config
  await using reader = new AsyncDisposableStack()
  const books = reader.adopt(
    await readJournal({ database, haltFile, coin, clock: systemClock }),
    (one) => one.shut(),
  )
  const facts = () => readBooks(books, config, { until: Number.MAX_SAFE_INTEGER })
  const [first] = (await facts()).valuations
  if (first === undefined) throw new Error('a run values what the wallet holds at its start')
  const worthOf = ({ token, wei }: Amount) => {
    const known = first.holdings.find(({ held }) => held.token.address === token.address)
    if (known?.worth === undefined) throw new Error(`${show({ token, wei })} had a price`)
    return { ...known.worth, wei: (known.worth.wei * wei) / known.held.wei }
  }
  const held = await Promise.all(
    first.holdings.map(async ({ held: { token } }) => ({
      token,
      wei: await balanceOf(fork.rpc, token.address, wallet.address),
    })),
  )
  await journal.valuations.record({
    ...{ chainId: chain.chainId, wallet: wallet.address, unit: policy.notional.perSwap.token },
    at: Date.now() + 2 * hourMs,
    holdings: held.map((one) => ({ held: one, worth: worthOf(one), sources: [] })),
  })
  const kept = keepBooks(await facts())
  const [opening, closing] = [kept.quiet[0], kept.quiet.at(-1)]
  if (opening === undefined || closing === undefined) throw new Error('both are quiet')
  const { sums, unknown } = statementOf(kept, { opening, closing })
  if (sums === undefined) throw new Error(unknown.join(' '))
  return sums
}
