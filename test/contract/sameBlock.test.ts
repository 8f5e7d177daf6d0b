import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { firmQuote } from '../../src/api/firmQuote.ts'
import { indicativeQuote } from '../../src/api/indicativeQuote.ts'
import { decodeExactInput } from '../../src/chain/settlement/codec.ts'
import { formatDecimal } from '../../src/core/decimal.ts'
import { nativeAddress } from '../../src/core/token.ts'
import { ask } from '../support/ask.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { serveDesk } from '../support/serveDesk.ts'

let fork: Fork
beforeAll(async () => {
  fork = await forkOrigin({ mining: 'auto' })
})
afterAll(() => fork?.close())

const decimalsOf = (symbol: string) => fork.ready.tokens[symbol]?.decimals ?? 18
const addressOf = (symbol: string) =>
  symbol === 'ETH' ? nativeAddress : (fork.ready.tokens[symbol]?.address ?? '')

/** The most of each token that makes sense to ask for. */
const most: Readonly<Record<string, number>> = {
  ETH: 80,
  WETH: 80,
  USDC: 250_000,
  WBTC: 2,
  DAI: 20_000,
  TETHER: 50_000,
}

const question = fc.record({
  pair: fc
    .uniqueArray(fc.constantFrom(...Object.keys(most)), { minLength: 2, maxLength: 2 })
    .filter((pair) => !(pair.includes('ETH') && pair.includes('WETH'))),
  part: fc.integer({ min: 1, max: 1_000_000 }),
  asWei: fc.boolean(),
  expiry_time: fc.option(fc.integer({ min: 0, max: 120 }).map(String), { nil: undefined }),
  slippage: fc.option(fc.constantFrom('0', '0.1', '5', '49.99'), { nil: undefined }),
})

/** The wallet holds few of these tokens. */
const terms = { hubs: ['WETH', 'USDC'], takers: { balance: 'ignored' } }

/** `npm run test:settle` asks 1,000. */
const questions = Number(process.env.QUESTIONS ?? 120)

/** What a firm quote promised is gone for the next one, rightly: so each question is asked twice in a row. */
test('firm is indicative: random questions in one block', async () => {
  const seen = { ok: 0, refused: 0 }
  let desk = await serveDesk(fork, {}, terms)
  let askedOfDesk = 0
  await fc.assert(
    fc.asyncProperty(question, async ({ pair, part, asWei, expiry_time, slippage }) => {
      // A desk is replaced before its promises pile up, because they are part of the next indication.
      if (askedOfDesk === 25) {
        await desk.service.close()
        desk = await serveDesk(fork, {}, terms)
        askedOfDesk = 0
      }
      askedOfDesk += 1
      const [sell = '', buy = ''] = pair
      const decimals = decimalsOf(sell)
      const wei = (BigInt(most[sell] ?? 1) * 10n ** BigInt(decimals) * BigInt(part)) / 1_000_000n
      const parameters = {
        src_chain: 'local',
        dst_chain: 'local',
        token_in: addressOf(sell),
        token_out: addressOf(buy),
        from_address: fork.ready.wallets.treasury?.address,
        expiry_time,
        slippage,
        ...(asWei ? { amount_wei: wei.toString() } : { amount: formatDecimal(wei, decimals) }),
      }
      const indicative = await ask(desk.serviceUrl, 'indicative-quote', parameters)
      const firm = await ask(desk.serviceUrl, 'firm-quote', parameters)
      expect(firm.status).toBe(indicative.status)
      if (indicative.status !== 200) {
        seen.refused += 1
        expect(firm.body.code).toBe(indicative.body.code)
        return
      }
      seen.ok += 1
      const said = indicativeQuote.response.parse(indicative.body)
      const signed = firmQuote.response.parse(firm.body)
      expect({ in: signed.amountIn, out: signed.amountOut }).toEqual({
        in: said.sellerTokenAmountWei,
        out: said.buyerTokenAmountWei,
      })
      expect(signed.amountIn).toBe(wei.toString())
      // And the bytes say what the JSON says: never below the quote by more than the slippage, rounded up.
      const ppm = Math.round(Number(slippage ?? '0') * 10_000)
      const scaled = BigInt(signed.amountOut) * BigInt(1_000_000 - ppm)
      expect(decodeExactInput(signed.txRequest.calldata).amountOutMinimum).toBe(
        (scaled + 999_999n) / 1_000_000n,
      )
    }),
    { numRuns: questions },
  )
  await desk.service.close()
  expect(seen.ok).toBeGreaterThan(questions / 2)
})
