import { encodeFunctionData, type Hex, serializeTransaction } from 'viem'
import type { SignerLimits } from '../../../../src/bot/sign/process/judge.ts'
import type { Transaction } from '../../../../src/bot/stages.ts'
import { erc20Abi } from '../../../../src/chain/abi/contracts.ts'
import { encodeExactInput, encodeOrders } from '../../../../src/chain/settlement/codec.ts'
import type { ExactInput, Order } from '../../../../src/chain/settlement/order.ts'
import type { Eip2612Permit } from '../../../../src/chain/settlement/permit.ts'
import type { Address } from '../../../../src/core/token.ts'
import { order, parties, router, usdc, weth } from '../../verify/goodQuote.ts'

/** What a signer process is asked in the tests: the wallet of the good quote, and limits around it. */
export const key: Hex = `0x${'3'.repeat(64)}`
export const wallet: Address = parties.taker.address
export const recipient: Address = '0x00000000000000000000000000000000000000d1'
export const oneWeth = 10n ** 18n

export const limits: SignerLimits = {
  chainId: 31_337,
  router,
  // Of the tests of signatures, below.
  feeSigner: 'unchecked',
  makers: ['unchecked'],
  recipients: [recipient],
  tokens: [
    { token: weth, perTransaction: oneWeth, perDay: 3n * oneWeth },
    // Bought only.
    { token: usdc, perTransaction: 0n, perDay: 0n },
  ],
  gasMax: 500_000n,
  gasPriceMax: 100n,
  tipMax: 50n,
  callBytesMax: 8_192,
  minimumPrices: [],
  coinPerDay: { wei: 10n ** 18n, counts: 'gas' },
  signaturesPerHour: 100,
  signaturesPerDay: 1_000,
}

export const base: Transaction = {
  chainId: 31_337,
  nonce: 7,
  to: router,
  data: '0x',
  value: 0n,
  gas: 400_000n,
  maxFeePerGas: 90n,
  maxPriorityFeePerGas: 1n,
}

export const bytesOf = (transaction: Transaction): Hex =>
  serializeTransaction({ type: 'eip1559', ...transaction })

/** A sale of one WETH for USDC. */
export function exactInput({
  call = {},
  orders = [order()],
}: {
  call?: Partial<ExactInput>
  orders?: readonly Order[]
} = {}): Hex {
  return encodeExactInput({
    orders: encodeOrders(orders.map((one) => ({ order: one, signature: '0x12' }))),
    recipient: wallet,
    amountIn: oneWeth,
    amountOutMinimum: 2_997_000_000n,
    toWrap: false,
    toUnwrap: false,
    widgetFee: { signer: parties.feeSigner.address, feeRecipient: router, feeRate: 0n },
    widgetFeeSignature: '0x34',
    fallbackSwapDataArray: [],
    ...call,
  })
}

export const swapOf = (...what: Parameters<typeof exactInput>): Transaction => ({
  ...base,
  data: exactInput(...what),
})

export const approve = (spender: Address, wei: bigint): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, wei] })

export const approvalOf = (wei: bigint, spender: Address = router): Transaction => ({
  ...base,
  to: weth.address,
  data: approve(spender, wei),
})

/** A permit of one WETH, a minute before its end. */
export const permit: Eip2612Permit = {
  ...{ name: 'Wrapped Ether', version: '1', chainId: 31_337, token: weth.address },
  ...{ owner: wallet, spender: router, wei: oneWeth, nonce: 3n, deadline: 1_800_000_060 },
}

export const cancellation: Transaction = { ...base, to: wallet, gas: 21_000n }
