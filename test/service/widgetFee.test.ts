import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { firmQuote } from '../../src/api/firmQuote.ts'
import { nativeAddress } from '../../src/core/token.ts'
import { ask } from '../support/ask.ts'
import { balanceOf } from '../support/balanceOf.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { settleQuote } from '../support/settleQuote.ts'

let fork: Fork
beforeAll(async () => {
  fork = await forkOrigin({
    mining: 'auto',
    world: (world) => ({ ...world, service: { ...world.service, widgetFeeBps: 25 } }),
  })
})
afterAll(() => fork?.close())

const quote = async (path: string, sell: string, amount_wei: string) => {
  const { tokens, wallets, serviceUrl } = fork.ready
  const { body } = await ask(serviceUrl, path, {
    chain: 'local',
    token_in: sell === 'ETH' ? nativeAddress : tokens[sell]?.address,
    token_out: tokens.USDC?.address,
    amount_wei,
    from_address: wallets.treasury?.address,
  })
  return body
}

describe('widget fee', () => {
  test('comes out of the input, in dollars for display', async () => {
    // 0.25 % of 10 WETH is 0.025; 9.975 WETH at 3000.
    expect(await quote('indicative-quote', 'WETH', '10000000000000000000')).toMatchObject({
      buyerTokenAmountWei: '29925000000',
      widgetFeeUsd: 75,
      liquidityProviderFeeUsd: 0,
      totalFeeUsd: 75,
      price: 2992.5,
    })
  })

  test.each(['WETH', 'ETH'])('is paid on chain when %s is sold, rounded down', async (sell) => {
    const amount = 1_000_000_000_000_000_399n
    const fee = 2_500_000_000_000_000n
    const firm = firmQuote.response.parse(await quote('firm-quote', sell, amount.toString()))
    expect(firm.widgetFee.feeRate).toBe(25)
    expect(firm.orders[0]?.sellerTokenAmount).toBe((amount - fee).toString())
    const { treasury } = fork.ready.wallets
    const wrapped = fork.ready.tokens.WETH
    if (treasury === undefined || wrapped === undefined) throw new Error('not the fixed world')

    const before = await balanceOf(fork.rpc, wrapped.address, firm.widgetFee.feeRecipient)
    const { spent, received } = await settleQuote(fork.rpc, {
      quote: firm,
      privateKey: treasury.privateKey,
    })
    const after = await balanceOf(fork.rpc, wrapped.address, firm.widgetFee.feeRecipient)
    expect({ spent, received, fee: after - before }).toEqual({
      spent: amount,
      received: BigInt(firm.amountOut),
      fee,
    })
  })
})
