import { encodeFunctionData, type Hex, keccak256 } from 'viem'
import { type Planned, pass, type Signed, type Simulated } from '../../../src/bot/stages.ts'
import { erc20Abi } from '../../../src/chain/abi/contracts.ts'
import type { Address, Token } from '../../../src/core/token.ts'

/** The wallet of every sample. */
export const wallet: Address = '0x00000000000000000000000000000000000000aa'

const token = (symbol: string, digit: string): Token => ({
  chainId: 31_337,
  address: `0x${digit.repeat(40)}`,
  symbol,
  decimals: 18,
})
export const weth = token('WETH', '1')
export const usdc = token('USDC', '2')

let counter = 0

/** A plan to sell one WETH, each under its own name. */
export function samplePlan(changes: Partial<Planned> = {}): Planned {
  counter += 1
  return pass<Planned>({
    swapId: `sample-${counter}`,
    key: `sample-key-${counter}`,
    strategy: 'test',
    intent: {
      sell: { token: weth, wei: 10n ** 18n },
      buy: usdc,
      floor: { token: usdc, wei: 2_990n },
      reason: 'because',
    },
    wallet,
    recipient: wallet,
    slippageBps: 10,
    expirySeconds: 30,
    indication: undefined,
    notional: undefined,
    ...changes,
  })
}

/** Its quote, simulated. */
export function sampleQuote(planned: Planned): Simulated {
  return pass<Simulated>({
    ...planned,
    approvals: [],
    appraisal: {
      askedAt: 0,
      references: [],
      absent: [],
      notional: undefined,
      coin: undefined,
      pegs: [],
    },
    request: {} as never,
    quote: {} as never,
    body: '{"quote":1}',
    requestedAt: 0,
    receivedAt: 0,
    call: { to: `0x${'3'.repeat(40)}`, data: '0x', value: 0n },
    swap: {} as never,
    orders: [],
    quoteId: `0x${planned.swapId}`,
    authorization: `0x${'4'.repeat(64)}`,
    deadline: 1_000,
    amountOut: { token: usdc, wei: 3_000n },
    minimum: { token: usdc, wei: 2_990n },
    checks: [{ name: 'verify.a', ok: true, expected: '1', actual: '1' }],
    fees: { gas: 1n, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n },
    nonce: 0,
    simulation: {
      block: 1,
      startedAt: 0,
      spent: planned.intent.sell,
      received: { token: usdc, wei: 3_000n },
      gas: 1n,
      approvalGas: 0n,
      gasPrice: 1n,
      tip: 1n,
      feeMost: 100n,
      proof: 'unwitnessed',
    },
  })
}

const approvalOf = (wei: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [wallet, wei] })

/** Its bytes. */
export function sampleBytes(
  { swapId }: Planned,
  nonce: number,
  kind: Signed['kind'] = 'SWAP',
): Signed {
  const raw: Hex = `0x02${Buffer.from(`${swapId}${kind}`).toString('hex')}`
  return pass<Signed>({
    swapId,
    kind,
    wallet,
    transaction: {
      to: wallet,
      data: kind === 'APPROVE' ? approvalOf(1n) : '0x',
      value: 0n,
      gas: 1n,
      maxFeePerGas: 1n,
      maxPriorityFeePerGas: 1n,
      chainId: 31_337,
      nonce,
    },
    raw,
    hash: keccak256(raw),
  })
}

/** Bytes that take an allowance back. */
export function sampleRevocation(planned: Planned, nonce: number): Signed {
  const signed = sampleBytes(planned, nonce, 'APPROVE')
  return { ...signed, transaction: { ...signed.transaction, data: approvalOf(0n) } }
}
