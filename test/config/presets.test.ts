import { getAddress } from 'viem'
import { expect, test } from 'vitest'
import { mainnetChainIds } from '../../src/config/file/mainnetChainIds.ts'
import { presets } from '../../src/config/presets.ts'

test('presets: each chain once, each address with its checksum, each feed of a token that is listed', () => {
  expect(new Set(presets.map(({ name }) => name)).size).toBe(presets.length)
  expect(new Set(presets.map(({ chainId }) => chainId)).size).toBe(presets.length)
  for (const { chainId, wrapped, stablecoins, feeds } of presets) {
    // A plain key in the environment is refused on each of them.
    expect(mainnetChainIds.has(chainId)).toBe(true)
    const addresses = [wrapped, ...stablecoins, ...feeds].map(({ address }) => address)
    expect(addresses).toEqual(addresses.map((one) => getAddress(one)))
    expect(new Set(addresses).size).toBe(addresses.length)
    const symbols = [wrapped, ...stablecoins].map(({ symbol }) => symbol)
    expect(symbols).toEqual(expect.arrayContaining(feeds.map(({ symbol }) => symbol)))
  }
})
