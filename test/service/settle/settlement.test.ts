import { encodeFunctionData } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { firmQuote } from '../../../src/api/firmQuote.ts'
import { type Address, nativeAddress } from '../../../src/core/token.ts'
import { accountsOf } from '../../../src/sandbox/accounts.ts'
import { ownArtifact } from '../../../src/sandbox/artifact.ts'
import { anvilCalls } from '../../../src/sandbox/startAnvil.ts'
import { ask } from '../../support/ask.ts'
import { balanceOf } from '../../support/balanceOf.ts'
import { type Fork, forkOrigin } from '../../support/forkOrigin.ts'
import { settleQuote } from '../../support/settleQuote.ts'
import { transact } from '../../support/transact.ts'
import { random } from '../venues/uniswapV3/randomPool.ts'

/** A sample, of quotes through a hub; `npm run test:settle` settles a thousand. */
const cases = Number(process.env.SETTLEMENTS ?? 40)

let fork: Fork
beforeAll(async () => {
  fork = await forkOrigin({
    mining: 'auto',
    world: (world) => ({
      ...world,
      makers: world.makers.map((maker) => ({
        ...maker,
        books: [
          ...maker.books,
          {
            pair: ['WBTC', 'USDC'],
            bid: [
              ['0.5', '89900'],
              ['2', '89700'],
            ],
            ask: [],
            minimumInBase: '0.001',
          },
          {
            pair: ['DAI', 'USDC'],
            bid: [
              ['20000', '0.9999'],
              ['50000', '0.9995'],
            ],
            ask: [['30000', '1.0002']],
            minimumInBase: '5',
          },
        ],
      })),
      // Splits and paths on every occasion, also where they would not pay for their gas.
      service: { ...world.service, hubs: ['USDC', 'WETH', 'WBTC', 'DAI'], gasWeight: 0 },
    }),
  })
  const { wallets, tokens } = fork.ready
  const { deployer } = accountsOf(fork.world)
  const owner = wallets.treasury?.address ?? nativeAddress
  await fork.rpc.request(anvilCalls.setBalance(owner, 100_000n * 10n ** 18n))
  await transact(fork.rpc, {
    privateKey: wallets.treasury?.privateKey ?? '0x',
    to: tokens.WETH?.address ?? nativeAddress,
    data: encodeFunctionData({ abi: ownArtifact('WrappedNative').abi, functionName: 'deposit' }),
    value: 50_000n * 10n ** 18n,
  })
  for (const [symbol, wei] of [
    ['USDC', 10n ** 14n],
    ['DAI', 10n ** 26n],
    ['WBTC', 10n ** 11n],
    ['TETHER', 10n ** 13n],
  ] as const)
    await transact(fork.rpc, {
      privateKey: deployer.key,
      to: tokens[symbol]?.address ?? nativeAddress,
      data: encodeFunctionData({
        abi: ownArtifact('Token').abi,
        functionName: 'mint',
        args: [owner, wei],
      }),
    })
})
afterAll(() => fork?.close())

const largest: Readonly<Record<string, number>> = {
  ETH: 60,
  WETH: 60,
  USDC: 180_000,
  WBTC: 2,
  DAI: 150_000,
  TETHER: 5_000,
}
const decimals: Readonly<Record<string, number>> = { USDC: 6, WBTC: 8, TETHER: 6 }
const addressOf = (symbol: string): Address =>
  symbol === 'ETH' ? nativeAddress : (fork.ready.tokens[symbol]?.address ?? nativeAddress)
const wrapped = (symbol: string) => (symbol === 'ETH' ? 'WETH' : symbol)

describe('firm quotes', () => {
  test(
    `random ones, ${cases} of them through hubs, settle for exactly what they promise`,
    async () => {
      const next = random(20260215)
      const pick = <item>(list: readonly item[]) => list[Math.floor(next() * list.length)] as item
      const symbols = Object.keys(largest)
      const treasury = fork.ready.wallets.treasury
      if (treasury === undefined) throw new Error('no treasury')
      const shapes = new Map<string, { count: number; gas: bigint }>()
      let settled = 0
      let hops = 0
      for (let attempt = 0; hops < cases; attempt += 1) {
        if (attempt > cases * 6) throw new Error('too many refusals')
        const [sell, buy] = [pick(symbols), pick(symbols)]
        if (wrapped(sell) === wrapped(buy)) continue
        const unit = 10 ** (decimals[sell] ?? 18)
        const amount = BigInt(Math.floor((largest[sell] ?? 1) * 10 ** (-4 * next()) * unit))
        const query = {
          chain: 'local',
          token_in: addressOf(sell),
          token_out: addressOf(buy),
          amount_wei: amount.toString(),
          from_address: treasury.address,
          ...(next() < 0.3 ? { slippage: '0.5' } : {}),
        }
        const { serviceUrl } = fork.ready
        const shown = await ask(serviceUrl, 'indicative-quote', query)
        const { status, body } = await ask(serviceUrl, 'firm-quote', query)
        if (status !== 200) {
          // Less than a unit of the other token, or deeper than anybody is.
          expect({ sell, buy, amount, status }).toMatchObject({ status: 422 })
          continue
        }
        const quote = firmQuote.response.parse(body)
        expect(shown.body.buyerTokenAmountWei).toBe(quote.amountOut)
        const { receipt, spent, received } = await settleQuote(fork.rpc, {
          quote,
          privateKey: treasury.privateKey,
        })
        const legs = quote.source.replace(/:0x[0-9a-fA-F]{40}/g, '')
        expect({ sell, buy, amount, legs, success: receipt.success, spent, received }).toEqual({
          sell,
          buy,
          amount,
          legs,
          success: true,
          spent: amount,
          received: BigInt(quote.amountOut),
        })
        settled += 1
        if (new Set(quote.orders.map(({ buyerToken }) => buyerToken)).size > 1) hops += 1
        const native = `${quote.toWrap ? 'wrap ' : ''}${quote.toUnwrap ? 'unwrap ' : ''}`
        const shape = shapes.get(native + legs) ?? { count: 0, gas: 0n }
        shapes.set(native + legs, {
          count: shape.count + 1,
          gas: shape.gas + receipt.gasUsed,
        })
      }
      for (const symbol of symbols)
        for (const holder of [fork.ready.router, fork.ready.executor])
          expect(await balanceOf(fork.rpc, addressOf(symbol), holder)).toBe(0n)
      const lines = [...shapes]
        .sort(([, a], [, b]) => b.count - a.count)
        .map(
          ([legs, { count, gas }]) =>
            `${String(count).padStart(5)} ${gas / BigInt(count)} gas  ${legs}`,
        )
      process.stdout.write(
        `settled ${settled} of ${settled}, ${hops} through a hub\n${lines.slice(0, 40).join('\n')}\n`,
      )
    },
    30_000 + cases * 1_500,
  )
})
