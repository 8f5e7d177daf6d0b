import { expect, test } from 'vitest'
import { tellUnlisted } from '../../src/app/tellUnlisted.ts'
import type { Config } from '../../src/config/config.ts'
import { usdc, wallet, weth } from '../bot/journal/sampleSwap.ts'

test('what the last valuation holds and the configuration lists no more is named', async () => {
  const said: string[] = []
  const holding = { held: { token: usdc, wei: 5n * 10n ** 18n } }
  const made = { holdings: [{ held: { token: weth, wei: 1n } }, holding] }
  const told = async (last: object | undefined) => {
    said.length = 0
    const config = {
      ...{ chain: { chainId: 31_337 }, wallet: { address: wallet } },
      tokens: { bySymbol: new Map([['WETH', weth]]) },
    } as unknown as Config
    await tellUnlisted(config, {
      valuations: { last: async () => last as never },
      say: (line) => void said.push(line),
    })
    return said
  }
  expect(await told(undefined)).toEqual([])
  expect(await told(made)).toEqual([
    'UNLISTED  5 USDC is in the last valuation, and tokens: lists it no more: no valuation has it from now on, and the month tells it as a withdrawal',
  ])
})
