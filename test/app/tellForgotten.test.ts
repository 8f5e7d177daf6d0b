import { expect, test } from 'vitest'
import { tellForgotten } from '../../src/app/tellForgotten.ts'
import type { LoadedStrategy } from '../../src/bot/strategy/load.ts'
import { usdc, weth } from '../bot/journal/sampleSwap.ts'

test('what strategies remembered under other parameters is named, and nothing of the others', async () => {
  const said: string[] = []
  const notes = { weekly: { carried: '1000000000', target: null }, empty: {}, same: undefined }
  const strategies = Object.keys(notes).map((name) => ({ name, params: {} }) as LoadedStrategy)
  await tellForgotten(strategies, {
    forgotten: async (name) => notes[name as keyof typeof notes] as never,
    inputs: () => expect.unreachable('no token stands in these parameters'),
    say: (line) => void said.push(line),
  })
  expect(said).toEqual([
    'FORGOT  weekly: its parameters have changed, and it begins without its notes of before: carried 1000000000, target null',
  ])
})

test('what was sold of a token that its parameters do not name any more counts no more, and is said', async () => {
  const said: string[] = []
  const moved = { ...weth, address: `0x${'9'.repeat(40)}` as const }
  const totals = [
    { sold: { token: weth, wei: 2n * 10n ** 18n } },
    { sold: { token: moved, wei: 1n } },
    { sold: { token: usdc, wei: 1n }, recovered: true as const },
  ]
  const told = async (params: unknown) => {
    said.length = 0
    await tellForgotten([{ name: 'once', params } as LoadedStrategy], {
      forgotten: async () => undefined,
      inputs: async () => ({ totals }),
      say: (line) => void said.push(line),
    })
    return said
  }
  expect(
    await told({ sell: { token: moved, wei: 5n }, price: [{ unit: usdc }], note: null }),
  ).toEqual([
    `FORGOT  once: it sold 2 WETH of ${weth.address} so far, which is no token of its parameters now: no budget, limit or repeat of it counts that`,
  ])
  expect(await told({ sell: { token: moved, wei: 5n }, buy: weth })).toEqual([])
})
