import type { Dossier } from '../../../src/bot/dossier.ts'
import type { Amount } from '../../../src/core/amount.ts'
import { nativeAddress, type Token } from '../../../src/core/token.ts'

const token = (symbol: string, digit: string, decimals: number): Token => ({
  chainId: 1,
  address: `0x${digit.repeat(40)}`,
  symbol,
  decimals,
})
export const weth = token('WETH', '1', 18)
export const usdc = token('USDC', '2', 6)
export const wbtc = token('WBTC', '3', 8)
export const usd = token('USD', '4', 8)
export const native: Token = { chainId: 1, address: nativeAddress, symbol: 'ETH', decimals: 18 }
export const coin = { native, wrapped: weth }

/** What is said of one swap; all of the bought token, in its smallest unit. */
type Said = {
  readonly strategy?: string
  readonly createdAt?: number
  readonly sell?: Amount
  readonly buy?: Token
  readonly decided?: bigint
  readonly indicated?: bigint
  readonly asked?: bigint
  readonly firm?: bigint
  readonly simulated?: bigint
  readonly received?: bigint
  readonly gasPaid?: bigint
  readonly notional?: Amount
  readonly coin?: Amount
  readonly over?: Partial<Dossier>
}

/** A settled swap as the journal would tell it. */
export function dossierOf({
  strategy = 'test',
  createdAt = 1_000_000,
  sell = { token: weth, wei: 10n ** 18n },
  buy = usdc,
  decided,
  indicated,
  asked,
  firm = 3_000_000_000n,
  simulated = firm,
  received = firm,
  gasPaid = 10n ** 14n,
  over,
  ...said
}: Said): Dossier {
  const bought = (wei: bigint) => ({ token: buy, wei })
  return {
    id: 'a swap',
    strategy,
    state: 'SETTLED',
    code: undefined,
    reason: undefined,
    createdAt,
    updatedAt: createdAt + 5_000,
    signedAt: createdAt + 30,
    nonce: 1,
    plan: {
      swapId: 'a swap',
      key: `${strategy}:${createdAt}:0`,
      strategy,
      intent: { sell, buy, floor: bought(1n), reason: 'because' },
      wallet: `0x${'a'.repeat(40)}`,
      recipient: `0x${'a'.repeat(40)}`,
      slippageBps: 10,
      expirySeconds: 30,
      indication: indicated === undefined ? undefined : { sold: sell, bought: bought(indicated) },
      notional: undefined,
      ...(decided === undefined
        ? {}
        : { arrival: { fair: bought(decided), sources: ['a feed'], at: createdAt - 500 } }),
    },
    quote: {
      quoteId: '0x1',
      amountOut: bought(firm),
      minimum: bought(firm - 1n),
      deadline: 1_030,
      source: 'maker-a',
      simulation: { block: 1, spent: sell, received: bought(simulated), gas: 100n },
      requestedAt: createdAt + 10,
      receivedAt: createdAt + 20,
      appraisal: {
        askedAt: createdAt + 5,
        references:
          asked === undefined
            ? []
            : [{ source: 'a feed', fair: bought(asked), independent: true, at: createdAt }],
        absent: [],
        notional: said.notional,
        coin: said.coin,
      },
    },
    moved: { sold: sell, received: bought(received) },
    gasUsed: 100n,
    gasPaid,
    gasPaidInAll: gasPaid,
    agrees: true,
    block: 12,
    attempts: [
      {
        kind: 'SWAP',
        hash: '0xaa',
        nonce: 1,
        replaces: null,
        maxFeeWei: '1',
        tipWei: '1',
        signedAt: new Date(createdAt + 30).toISOString(),
        sentAtBlock: 10,
        publishedAt: null,
        verdict: 'accepted',
        answer: 'accepted',
      },
    ],
    events: [
      { seq: 1, at: createdAt, type: 'PLANNED' },
      { seq: 2, at: createdAt + 40, type: 'SENT' },
      { seq: 3, at: createdAt + 1_040, type: 'INCLUDED' },
      { seq: 4, at: createdAt + 2_000, type: 'SETTLED' },
    ],
    ...over,
  }
}
