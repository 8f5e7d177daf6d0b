import { join } from 'node:path'
import { keccak256 } from 'viem'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import type { Database } from '../../src/bot/journal/store/database.ts'
import {
  type Context,
  type Plan,
  type Planned,
  pass,
  type Simulated,
} from '../../src/bot/stages.ts'
import { loadStrategies } from '../../src/bot/strategy/load.ts'
import { contextWith } from '../../src/bot/strategy/testing.ts'
import type { Receipt } from '../../src/chain/calls/getReceipt.ts'
import { loadConfig } from '../../src/config/loadConfig.ts'
import { amountOf } from '../../src/core/amount.ts'
import type { Token } from '../../src/core/token.ts'
import { sampleBytes, sampleQuote } from '../bot/journal/sampleSwap.ts'

/** What one sale of one WETH was told on its way, in USDC, and what it came to. */
export type Sale = {
  readonly slot: number
  readonly indicated: string
  /** The middle of the sources at the decision and before the quote; none was asked without it. */
  readonly decided?: string
  readonly asked?: string
  readonly firm: string
  /** Undefined: it was refused by a check. */
  readonly received?: string
  readonly strategy?: string
}

/**
 * A journal beside `ballast.yaml` of `cwd`, written by the journal itself: the strategy `sell-strength` of that file decides
 * on contexts, and its swaps go to their ends.
 */
export async function openTraded(
  cwd: string,
  database: Database = { dialect: 'sqlite', path: join(cwd, 'ballast.db') },
) {
  const config = loadConfig({
    file: 'ballast.yaml',
    environment: {},
    cwd,
    needs: 'journal',
  })
  const [loaded] = await loadStrategies(config)
  if (loaded === undefined) throw new Error('the file has a strategy')
  const token = (symbol: string): Token => {
    const found = config.tokens.bySymbol.get(symbol)
    if (found === undefined) throw new Error(`${symbol} is in the file`)
    return found
  }
  const [weth, usdc] = [token('WETH'), token('USDC')]
  const wallet = config.wallet.address
  const chainId = config.chain.chainId
  let now = Date.UTC(2026, 10, 20, 9)
  let nonce = 0
  const clock = { now: () => now, sleep: async () => {} }
  const journal = await openJournal({
    database,
    haltFile: join(cwd, 'HALT'),
    clock,
  })
  await journal.wallet.adopt({ chainId, wallet, nonceOfChain: 0 })

  /** Lets the time of the journal come to an instant. */
  const waitUntil = (at: number) => {
    now = Math.max(now, at)
  }

  const usd = (text: string) => amountOf(usdc, text)
  const oneWeth = amountOf(weth, '1')

  /** Lets the strategy decide at a price, and writes it down. */
  async function decide(
    slot: number,
    indicated: string,
    overrides: Partial<Context<unknown>> = {},
  ) {
    now = Math.max(now, slot) + 17
    const context = contextWith<unknown>(loaded?.params, {
      now: slot + 10,
      slot,
      indications: [{ sold: oneWeth, bought: usd(indicated), route: ['maker-a'] }],
      balances: [amountOf(weth, '3'), usd('10')],
      ...overrides,
    })
    const decision = loaded?.strategy.decide(context)
    if (decision === undefined) throw new Error('it decides')
    const { name } = loaded ?? { name: '' }
    await journal.decisions.record({ strategy: name, slot, at: now, context, decision })
    return decision
  }

  async function sell(sale: Sale): Promise<string> {
    const {
      slot,
      indicated,
      decided,
      asked = decided,
      firm,
      received,
      strategy = 'sell-strength',
    } = sale
    now = Math.max(now, slot) + 20
    const quoted = usd(firm)
    const minimum = { token: usdc, wei: (quoted.wei * 999n) / 1_000n }
    const plan: Plan = {
      swapId: keccak256(`0x${Buffer.from(`${strategy} ${slot}`).toString('hex')}`).slice(2, 34),
      key: `${strategy}:${slot}:0`,
      strategy,
      intent: { sell: oneWeth, buy: usdc, floor: usd('2950'), reason: 'it pays enough' },
      wallet,
      recipient: wallet,
      slippageBps: 10,
      expirySeconds: 30,
      indication: { sold: oneWeth, bought: usd(indicated) },
      notional: undefined,
      ...(decided === undefined
        ? {}
        : { arrival: { fair: usd(decided), sources: ['a feed', 'a pool'], at: now - 2_000 } }),
    }
    const planned = pass<Planned>(plan)
    const { swapId } = plan
    await journal.swaps.reserve(planned, () => {})
    if (received === undefined) {
      const failed = {
        name: 'policy.not-below-reference',
        ok: false,
        expected: '3000',
        actual: firm,
      }
      const fine = { name: 'verify.floor', ok: true, expected: '2950', actual: firm }
      now += 5
      await journal.swaps.close({
        swapId,
        as: 'REJECTED',
        code: 'POLICY_NOT_BELOW_REFERENCE',
        reason: 'Refused: policy.not-below-reference: expected 3000, got less.',
        checks: [fine, failed],
      })
      return swapId
    }
    const simulated: Simulated = pass<Simulated>({
      ...sampleQuote(planned),
      body: JSON.stringify({ source: 'maker-a' }),
      requestedAt: now,
      receivedAt: now + 6,
      deadline: Math.floor(now / 1_000) + 30,
      amountOut: quoted,
      minimum,
      appraisal: {
        askedAt: now,
        references:
          asked === undefined
            ? []
            : [
                {
                  source: 'a feed',
                  fair: usd(asked),
                  independent: true,
                  endpoints: ['a feed'],
                  liarsMin: 1,
                  at: now - 1_000,
                },
              ],
        absent: [],
        notional: undefined,
        coin: undefined,
        pegs: [],
      },
      simulation: {
        ...sampleQuote(planned).simulation,
        spent: oneWeth,
        received: quoted,
        gas: 180_000n,
      },
    })
    now += 10
    now += 8
    const bytes = await journal.attempts.commitSwap(
      { ...sampleBytes(planned, nonce), wallet },
      simulated,
    )
    nonce += 1
    await journal.attempts.noteSent({
      hash: bytes.hash,
      swapId,
      block: 100 + nonce,
      verdict: 'accepted',
      taken: true,
      words: 'accepted',
    })
    now += 1_000
    const receipt: Receipt = {
      hash: bytes.hash,
      blockNumber: 101 + nonce,
      blockHash: `0x${'b'.repeat(64)}`,
      success: true,
      gasUsed: 180_000n,
      gasPaid: 200_000_000_000_000n,
      logs: [],
    }
    await journal.attempts.include({ swapId, receipt })
    now += 2_000
    const measured = {
      sold: oneWeth,
      received: usd(received),
      gasUsed: 180_000n,
      gasPaid: receipt.gasPaid,
      agrees: true,
      short: false,
    }
    await journal.attempts.settle({ swapId, measured })
    return swapId
  }

  return { journal, clock, waitUntil, decide, sell, weth, usdc, wallet, chainId, config }
}
