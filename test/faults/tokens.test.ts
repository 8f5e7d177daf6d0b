import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openMarket, openWholeMarket } from '../../src/app/openMarket.ts'
import { getCode } from '../../src/chain/calls/account.ts'
import type { Hex } from '../../src/chain/calls/fields.ts'
import { slotOf } from '../../src/chain/storage/layout.ts'
import { loadConfig } from '../../src/config/loadConfig.ts'
import { parseAmount, show } from '../../src/core/amount.ts'
import { systemClock } from '../../src/core/clock.ts'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import { balances } from '../support/balances.ts'
import { failedChecks } from '../support/failedChecks.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { startLyingNode } from '../support/lyingNode.ts'
import { placeMoodyToken } from '../support/moodyToken.ts'
import { openBotAt } from '../support/openBotAt.ts'

let fork: Fork
let node: Awaited<ReturnType<typeof startLyingNode>>
let bot: Awaited<ReturnType<typeof openBotAt>>
let token: Awaited<ReturnType<typeof placeMoodyToken>>

beforeAll(async () => {
  fork = await forkOrigin()
  node = await startLyingNode(fork.ready.rpcUrl)
  token = await placeMoodyToken(fork, 'USDC')
  bot = await openBotAt(fork, node.url)
})
afterAll(async () => {
  await bot?.close()
  await node?.close()
  await fork?.close()
})
beforeEach(async () => {
  await token.feel('good')
  bot.signed.length = 0
  node.seen.length = 0
})

const selling = { sell: '1000 USDC', buy: 'WETH', floor: '0.3 WETH' }
const buying = { sell: '1 ETH', buy: 'USDC', floor: '2900 USDC' }
const usdc = () => fork.ready.tokens.USDC?.address ?? '0x'
const store = (slot: number | Hex, word: string) =>
  fork.rpc.request({
    method: 'anvil_setStorageAt',
    params: [
      usdc(),
      typeof slot === 'string' ? slot : `0x${slot.toString(16)}`,
      `0x${word.padStart(64, '0')}`,
    ],
    parse: (answer) => answer,
  })

describe('a token that behaves badly', () => {
  test('[TOKEN-10] is paused between the quote and its block: reverted, and gas is all it cost', async () => {
    const broadcast: typeof bot.train.broadcast = async (bytes) => {
      await token.feel('paused')
      return bot.train.broadcast(bytes)
    }
    const before = await balances(fork.rpc, fork.ready)
    const { record } = await bot.swap(buying, { broadcast })
    const after = await balances(fork.rpc, fork.ready)
    expect(record).toMatchObject({ state: 'REVERTED', sold: null, received: null })
    expect(after).toEqual({ ...before, ETH: (before.ETH ?? 0n) - BigInt(record.gasPaidWei ?? 0) })
  })

  test('[TOKEN-08] refuses to approve nothing: an allowance that stands is changed directly', async () => {
    await token.feel('refuses to approve nothing')
    const layout = { base: `0x${'4'.padStart(64, '0')}`, keyFirst: true } as const
    const slot = slotOf(layout, [bot.config.wallet.address, fork.ready.router])
    await store(slot, (5_000_000).toString(16))
    const { approvals, checks } = await bot.preview(selling)
    expect(checks.every(({ ok }) => ok)).toBe(true)
    expect(approvals).toHaveLength(1)
    await token.feel('good')
    expect((await bot.preview(selling)).approvals).toHaveLength(2)
    await store(slot, '0')
  })

  test('[TOKEN-15] refuses to move nothing: is sold and bought, for nothing is never moved', async () => {
    await token.feel('refuses to move nothing')
    for (const wish of [selling, buying])
      expect((await bot.preview(wish)).checks.every(({ ok }) => ok)).toBe(true)
  })

  test('[TOKEN-16] refuses to move to nobody: is sold and bought, for nobody ever receives', async () => {
    await token.feel('refuses to move to nobody')
    for (const wish of [selling, buying])
      expect((await bot.preview(wish)).checks.every(({ ok }) => ok)).toBe(true)
  })

  test('[TOKEN-17] holds less in one number than is sold: refused, nothing is signed', async () => {
    await token.feel('narrow')
    const { failure } = await bot.swap(
      { sell: '4294.967296 USDC', buy: 'WETH', floor: '1.3 WETH' },
      { signer: bot.signer },
    )
    expect(failedChecks(failure)).toContain('simulate.swap')
    expect(bot.signed).toEqual([])
    const most = { sell: '4294.967295 USDC', buy: 'WETH', floor: '1.3 WETH' }
    expect((await bot.preview(most)).simulation.spent.wei).toBe(4_294_967_295n)
  })

  test('[TOKEN-14] has a name without an end: nobody asks for it', async () => {
    // A string that says it is 2^255 bytes long; reading it reverts.
    for (const slot of [0, 1]) await store(slot, 'f'.repeat(64))
    expect((await bot.preview(selling)).checks.every(({ ok }) => ok)).toBe(true)
    const named = /0x(?:06fdde03|95d89b41)/
    expect(node.seen.filter(({ params }) => named.test(JSON.stringify(params)))).toEqual([])
  })

  test('[TOKEN-22] a native sale that leaves no gas is refused, nothing is signed', async () => {
    const { address } = bot.config.wallet
    const before = (await balances(fork.rpc, fork.ready)).ETH ?? 0n
    await fork.rpc.request(anvilCalls.setBalance(address, 10n ** 18n + 10n ** 12n))
    const { failure } = await bot.swap(buying, { signer: bot.signer })
    expect(failedChecks(failure)).toContain('simulate.native-balance')
    expect(bot.signed).toEqual([])
    await fork.rpc.request(anvilCalls.setBalance(address, before))
  })
})

describe('the decimals of a token', () => {
  /** The market that a bot opens when its file says that a token has so many. */
  async function opened(decimals: number) {
    const yaml = readFileSync(fork.ready.config, 'utf8')
    const file = join(fork.dataDir, 'decimals.yaml')
    const said = yaml.replace(/(USDC: \{.*decimals: )6/, `$1${decimals}`)
    if (decimals !== 6) expect(said).not.toBe(yaml)
    writeFileSync(file, said)
    const config = loadConfig({ file, environment: {}, cwd: fork.dataDir })
    const market = await openWholeMarket(config, systemClock)
    await market.close()
    return config.tokens.bySymbol
  }

  test('[TOKEN-12] 0 to 77 of them: amounts are exact to the last unit', async () => {
    for (const decimals of [0, 2, 6, 24, 27, 77]) {
      await store(6, decimals.toString(16))
      const bySymbol = await opened(decimals)
      const text = decimals === 0 ? '3 USDC' : `3.${'0'.repeat(decimals - 1)}1 USDC`
      const amount = parseAmount(text, bySymbol)
      expect(amount.wei).toBe(3n * 10n ** BigInt(decimals) + (decimals === 0 ? 0n : 1n))
      expect(show(amount)).toBe(text)
    }
    await store(6, '6')
  })

  test('[TOKEN-13] others than the file says, or none: refused at the start', async () => {
    const unlike = { code: 'TOKEN_NOT_ON_CHAIN', remedy: 'halt' }
    await store(6, (18).toString(16))
    await expect(opened(6)).rejects.toMatchObject(unlike)
    await store(6, (2n ** 200n).toString(16))
    await expect(opened(6)).rejects.toMatchObject(unlike)
    await store(6, '6')
    const code = await fork.rpc.request({
      method: 'eth_getCode',
      params: [usdc(), 'latest'],
      parse: (answer) => answer as `0x${string}`,
    })
    // PUSH0 PUSH0 REVERT
    await fork.rpc.request(anvilCalls.setCode(usdc(), '0x5f5ffd'))
    await expect(opened(6)).rejects.toMatchObject(unlike)
    await fork.rpc.request(anvilCalls.setCode(usdc(), code))
    expect((await opened(6)).get('USDC')?.decimals).toBe(6)
  })
})

describe('a listed token that answers nothing', () => {
  test.each([
    ['reverts', '0x5f5ffd'],
    ['has no code', '0x'],
  ] as const)('[TOKEN-24] %s: the others are bought and sold, and it is not', async (_, code) => {
    const { address = '0x' } = fork.ready.tokens.DAI ?? {}
    const before = await fork.rpc.request(getCode(address))
    await fork.rpc.request(anvilCalls.setCode(address, code))
    const market = await openMarket(bot.config, systemClock)
    try {
      expect((await market.absent()).map(({ symbol }) => symbol)).toEqual(['DAI'])
      const { record } = await bot.swap(buying)
      expect(record.state).toBe('SETTLED')
      const { failure } = await bot.swap(
        { sell: '100 USDC', buy: 'DAI', floor: '90 DAI' },
        { signer: bot.signer },
      )
      expect(failedChecks(failure)).toContain('simulate.balances-readable')
      expect(bot.signed).toEqual([])
    } finally {
      await market.close()
      await fork.rpc.request(anvilCalls.setCode(address, before ?? '0x'))
    }
  })

  test('[TOKEN-24] tells no decimals, and then the same or others: it is read again', async () => {
    const { address = '0x' } = fork.ready.tokens.DAI ?? {}
    const before = (await fork.rpc.request(getCode(address))) ?? '0x'
    const become = (code: Hex) => fork.rpc.request(anvilCalls.setCode(address, code))
    // Reverts where the call has a selector alone, and answers 18 otherwise.
    await become('0x36600414600f5760125f5260205ff35b5f5ffd')
    const market = await openMarket(bot.config, systemClock)
    try {
      const absent = async () => (await market.absent()).map(({ symbol }) => symbol)
      expect(await absent()).toEqual(['DAI'])
      // Answers 6 to everything.
      await become('0x60065f5260205ff3')
      expect(await absent()).toEqual(['DAI'])
      await become(before)
      expect(await absent()).toEqual([])
    } finally {
      await market.close()
      await become(before)
    }
  })
})
