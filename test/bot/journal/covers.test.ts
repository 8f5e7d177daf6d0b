import { describe, expect, test } from 'vitest'
import { covers } from '../../../src/bot/journal/locks/covers.ts'
import { nativeAddress } from '../../../src/core/token.ts'
import { wallet, weth } from './sampleSwap.ts'

const coin = { native: { ...weth, address: nativeAddress, symbol: 'ETH' }, wrapped: weth }
const subject = { wallet, strategy: 'dca', pair: { sell: 'WETH', buy: 'USDC' } }
const other = `0x${'b'.repeat(40)}`

describe('covers', () => {
  test.each([
    'all',
    `wallet ${wallet.toUpperCase().replace('0X', '0x')}`,
    'strategy dca',
    'pair WETH/USDC',
    'pair USDC/WETH',
    'pair ETH/USDC',
    'pair USDC/ETH',
    'vault 7',
  ])('%s holds', (scope) => {
    expect(covers({ scope }, subject, coin)).toBe(true)
  })

  test.each([`wallet ${other}`, 'strategy twap', 'pair DAI/USDC', 'pair WETH/DAI'])(
    '%s does not',
    (scope) => {
      expect(covers({ scope }, subject, coin)).toBe(false)
    },
  )

  test('without the coin a pair holds for the name it says; without a pair it holds for none', () => {
    expect(covers({ scope: 'pair ETH/USDC' }, subject, undefined)).toBe(false)
    expect(covers({ scope: 'pair WETH/USDC' }, { wallet }, coin)).toBe(false)
  })
})
