import { expect, test } from 'vitest'
import { recordValuations } from '../../src/app/recordValuations.ts'
import { createSilence } from '../../src/bot/createSilence.ts'
import { RpcRefused } from '../../src/chain/rpc/rpc.ts'
import { minuteMs } from '../../src/core/spans.ts'
import { nativeAddress, type Token } from '../../src/core/token.ts'
import { silent } from '../support/silent.ts'

const chainId = 31_337
const token = (symbol: string, decimals: number, address = `0x${symbol.length}`.padEnd(42, '0')) =>
  ({ chainId, address, symbol, decimals }) as Token
const eth = token('ETH', 18, nativeAddress)
const usdc = token('USDC', 6)
const dai = token('DAI', 18)
const usd = token('USD', 8, `0x${'f'.repeat(40)}`)
const wallet = '0x00000000000000000000000000000000000000aa' as const

type Valuing = Parameters<typeof recordValuations>[0]
type Recorded = Parameters<Valuing['journal']['valuations']['record']>[0]

/** Runs so many valuations; of each token of the wallet `held`, or an error in its place. */
async function run(
  rounds: readonly (readonly (bigint | Error)[])[],
  {
    head = 7,
    newest = () => 7,
    now = () => 7,
    onSleep = () => {},
    signed = () => ({}),
  }: {
    head?: number
    newest?: () => number
    now?: () => number
    onSleep?: () => void
    /** The nonces of open swaps; undefined of one that is not signed. */
    signed?: () => Readonly<Record<string, number | undefined>>
  } = {},
) {
  const recorded: Recorded[] = []
  const [warned, slept]: [string[], number[]] = [[], []]
  const over = new AbortController()
  const unread = createSilence()
  let round = 0
  const valuing = {
    config: () => ({
      wallet: { address: wallet },
      tokens: { native: eth, bySymbol: new Map([eth, usdc, dai].map((one) => [one.symbol, one])) },
      policy: { notional: { perSwap: { token: usd, wei: 1n } } },
    }),
    market: {
      unread,
      rpc: {
        batch: async ([, ...balances]: readonly unknown[]) => [
          { ok: true, value: { number: head } },
          ...balances.map((_, index) => {
            const held = rounds[round]?.[index] ?? 0n
            return held instanceof Error ? { ok: false, error: held } : { ok: true, value: held }
          }),
        ],
      },
      // A coin is worth 3,000, a dollar one, and nobody prices DAI.
      appraise: async ({ sell }: { sell: { token: Token; wei: bigint } }) => ({
        references: [
          { source: 'a feed', independent: true },
          { source: 'the book of the service', independent: false },
        ].slice(sell.token === dai ? 1 : 0),
        notional:
          sell.token === dai
            ? undefined
            : { token: usd, wei: sell.token === eth ? sell.wei * 3_000n : sell.wei * 100n },
      }),
    },
    journal: {
      valuations: { record: async (one: Recorded) => void recorded.push(one) },
      books: { newestBlock: async () => newest() },
      swaps: {
        open: async () => Object.keys(signed()),
        load: async (id: string) => ({ nonce: signed()[id] }),
      },
    },
    clock: {
      now,
      async sleep(ms: number) {
        slept.push(ms)
        onSleep()
        round += 1
        if (round === rounds.length) over.abort()
      },
    },
    log: { ...silent, warn: (_: object, text: string) => warned.push(text) },
  } as unknown as Valuing
  await recordValuations(valuing, over.signal)
  return { recorded, warned, slept, unread: unread.silent() }
}

test('what is held is valued at independent prices, what is not is left out, and an unknown price stays unknown', async () => {
  const { recorded, slept } = await run([[2n, 0n, 5n]])
  expect(recorded).toEqual([
    {
      ...{ chainId, wallet, at: 7, unit: usd },
      holdings: [
        { held: { token: eth, wei: 2n }, worth: { token: usd, wei: 6_000n }, sources: ['a feed'] },
        { held: { token: dai, wei: 5n }, worth: undefined, sources: [] },
      ],
    },
  ])
  expect(slept).toEqual([20_000])
})

test('one that lacks a price is tried again soon, a few times; a whole one is good for five minutes', async () => {
  const [lacking, whole] = [
    [2n, 0n, 5n],
    [2n, 0n, 0n],
  ]
  const { slept } = await run([...Array.from({ length: 7 }, () => lacking), whole, lacking])
  const soon = 20_000
  expect(slept).toEqual([
    ...[soon, soon, soon, soon, soon],
    ...[5 * minuteMs, 5 * minuteMs, 5 * minuteMs, soon],
  ])
})

test('a node that is away is told once, and the next valuation is made', async () => {
  const away = [1n, new Error('away'), 0n]
  const { recorded, warned } = await run([away, away, [0n, 3n, 0n], away])
  expect(recorded.map(({ holdings }) => holdings.length)).toEqual([1])
  expect(warned).toEqual(['the wallet could not be valued', 'the wallet could not be valued'])
})

test('a token that tells no balance is remembered until it tells one; a node that is away says nothing of it', async () => {
  let at = 0
  const clock = { now: () => at, onSleep: () => (at += 5 * minuteMs) }
  const reverted = new RpcRefused('eth_call', { code: 3, message: 'execution reverted' })
  const silence = { source: 'DAI', reason: 'execution reverted', since: 0 }
  const [paused, away] = [
    [1n, 1n, reverted],
    [1n, 1n, new Error('away')],
  ]
  expect((await run([paused, paused], clock)).unread).toEqual([{ ...silence, until: 5 * minuteMs }])
  at = 0
  expect((await run([paused, away], clock)).unread).toEqual([{ ...silence, until: 0 }])
  expect((await run([paused, [1n, 1n, 0n]], clock)).unread).toEqual([])
})

test('a node that lags behind the newest swap values nothing: its tokens would still be there', async () => {
  const { recorded, warned } = await run([[1n]], { head: 6 })
  expect([recorded, warned]).toEqual([[], ['the wallet could not be valued']])
})

test('while a swap begins nothing is valued, and it is tried again soon; one that was under way before is no obstacle', async () => {
  const unsigned = { a: undefined }
  const began = [
    { signed: sequence<Readonly<Record<string, number | undefined>>>({}, { a: 3 }) },
    { newest: sequence(6, 7) },
    // It is read with the other open ones, and each by itself: before the balances and behind them.
    {
      signed: sequence<Readonly<Record<string, number | undefined>>>(
        unsigned,
        unsigned,
        { a: 3 },
        { a: 3 },
      ),
    },
  ]
  for (const one of began) {
    const { recorded, warned, slept } = await run([[1n]], one)
    expect([recorded, warned, slept]).toEqual([[], [], [20_000]])
  }
  for (const signed of [() => ({ a: 3 }), () => unsigned]) {
    const { recorded, slept } = await run([[1n]], { signed })
    expect([recorded.length, slept]).toEqual([1, [5 * minuteMs]])
  }
})

test('while a swap is under way nothing is valued for an hour: of each hour one without a swap is wanted', async () => {
  const minutes = [0, 5, 10, 40, 59, 61, 62]
  let round = 0
  const now = () => (minutes[round] ?? 0) * minuteMs
  const { recorded } = await run(
    minutes.map(() => [1n]),
    {
      now,
      signed: () => (round > 0 ? { a: 3 } : {}),
      onSleep: () => {
        round += 1
      },
    },
  )
  expect(recorded.map(({ at }) => at)).toEqual([0, 61 * minuteMs])
})

const sequence = <value>(...values: readonly value[]) => {
  let next = 0
  return () => values[next++] ?? (values.at(-1) as value)
}
