import { withQuoteApi } from '../app/withQuoteApi.ts'
import type { QuoteApi } from '../bot/quote/api/createQuoteApi.ts'
import type { Config } from '../config/config.ts'
import { type Amount, parseAmount, show, tokenOf, toText } from '../core/amount.ts'
import { formatDecimal } from '../core/decimal.ts'
import { display } from '../core/display.ts'
import { type BallastError, ballastError } from '../core/errors.ts'
import { showPrice } from '../core/price.ts'
import { table } from '../core/textLayout.ts'
import { sameToken, type Token } from '../core/token.ts'
import { defineCommand } from './command.ts'
import { wholeNumber } from './wholeNumber.ts'

/** What was answered, for a script and for a person. */
type Report = { readonly value: unknown; readonly lines: readonly (readonly string[])[] }

type Ask = {
  readonly config: Config
  readonly sell: Amount
  readonly buy: Token
  readonly slippageBps: number
  readonly expirySeconds: number
  readonly signal: AbortSignal
}

export const command = defineCommand({
  name: 'quote',
  summary: 'what a sale would bring, indicative or firm',
  example: 'ballast quote --sell "1 WETH" --buy USDC --firm',
  options: {
    sell: { flags: '--sell <amount>', summary: 'what to sell, such as "1 WETH"', required: true },
    buy: { flags: '--buy <token>', summary: 'what to get for it', required: true },
    firm: { flags: '--firm', summary: 'a quote with signed orders instead of a price' },
    slippageBps: {
      flags: '--slippage-bps <n>',
      summary: 'how much less the router may deliver (firm only)',
      read: wholeNumber({ name: '--slippage-bps', min: 0, max: 4_999 }),
    },
    expiry: {
      flags: '--expiry <seconds>',
      summary: 'how long it should stay good (firm only)',
      read: wholeNumber({ name: '--expiry', min: 1, max: 120 }),
    },
  },
  async run({ config: load, options, clock, signal, json, terminal }) {
    const config = await load()
    const sell = parseAmount(options.sell, config.tokens.bySymbol)
    const buy = tokenOf(options.buy, config.tokens.bySymbol)
    if (sell.wei === 0n) throw usage('--sell is nothing: sell more than zero.')
    if (sameToken(sell.token, buy)) throw usage(`--sell and --buy are both ${buy.symbol}.`)
    const ask: Ask = {
      config,
      sell,
      buy,
      slippageBps: options.slippageBps ?? config.quote.slippageBps,
      expirySeconds: options.expiry ?? config.quote.expirySeconds,
      signal,
    }
    const { value, lines } = await withQuoteApi({ config, clock }, (quotes) =>
      options.firm ? firm(quotes, ask) : indicative(quotes, ask),
    )
    if (json) terminal.json(value)
    else terminal.out(table(lines))
    terminal.note("This is the service's claim; nothing was verified. 'ballast swap' verifies.")
  },
})

async function indicative(quotes: QuoteApi, { config, sell, buy, signal }: Ask): Promise<Report> {
  const answer = await quotes.indicative(
    {
      chain: config.chain.name,
      token_in: sell.token.address,
      token_out: buy.address,
      amount_wei: sell.wei.toString(),
      from_address: config.wallet.address,
    },
    signal,
  )
  const { buyerTokenAmountWei, sellerTokenAmountWei, routes } = answer.value
  assertAsked(sellerTokenAmountWei, sell)
  const bought = { token: buy, wei: BigInt(buyerTokenAmountWei) }
  const price = showPrice({ sold: sell, bought })
  const route = routes.map((step) => display(step, 64))
  return {
    value: {
      kind: 'indicative',
      sell: toText(sell),
      buy: toText(bought),
      price,
      route,
      requestId: answer.requestId,
      receivedAt: answer.receivedAt,
    },
    lines: [
      ['sell', show(sell)],
      ['get', show(bought)],
      ['price', price],
      ['route', route.join(' -> ')],
    ],
  }
}

async function firm(quotes: QuoteApi, ask: Ask): Promise<Report> {
  const { config, sell, buy, slippageBps, expirySeconds, signal } = ask
  const answer = await quotes.firm(
    {
      src_chain: config.chain.name,
      dst_chain: config.chain.name,
      token_in: sell.token.address,
      token_out: buy.address,
      amount_wei: sell.wei.toString(),
      from_address: config.wallet.address,
      to_address: config.wallet.address,
      expiry_time: expirySeconds.toString(),
      slippage: formatDecimal(BigInt(slippageBps), 2),
    },
    signal,
  )
  const { amountIn, amountOut, orders, source, txRequest } = answer.value
  assertAsked(amountIn, sell)
  const bought = { token: buy, wei: BigInt(amountOut) }
  const price = showPrice({ sold: sell, bought })
  const deadline = Math.min(...orders.map(({ deadlineTimestamp }) => deadlineTimestamp))
  const secondsLeft = deadline - Math.floor(answer.receivedAt / 1_000)
  return {
    value: {
      kind: 'firm',
      sell: toText(sell),
      buy: toText(bought),
      price,
      slippageBps,
      deadline,
      secondsLeft,
      source: display(source, 96),
      target: txRequest.target,
      value: txRequest.value,
      orders: orders.map(({ signer, buyer, quoteId, deadlineTimestamp, ...order }) => ({
        signer,
        buyer,
        sellerToken: order.sellerToken,
        sellerTokenAmount: order.sellerTokenAmount,
        buyerToken: order.buyerToken,
        buyerTokenAmount: order.buyerTokenAmount,
        quoteId: display(quoteId, 64),
        deadlineTimestamp,
      })),
      requestId: answer.requestId,
      receivedAt: answer.receivedAt,
    },
    lines: [
      ['sell', show(sell)],
      ['get', show(bought)],
      ['price', price],
      ['good for', `${secondsLeft} s`],
      ['orders', `${orders.length}, from ${display(source, 96)}`],
      ['router', txRequest.target],
    ],
  }
}

/** A price for another amount than the one asked for is no answer. */
function assertAsked(answered: string, sell: Amount): void {
  if (BigInt(answered) === sell.wei) return
  throw ballastError('QUOTE_MALFORMED', 'The quoting service answered for another amount.', {
    asked: show(sell),
    answered: show({ token: sell.token, wei: BigInt(answered) }),
  })
}

function usage(summary: string): BallastError {
  return ballastError('USAGE', summary)
}
