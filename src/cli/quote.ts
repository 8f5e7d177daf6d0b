import type { QuoteApi } from '../bot/quote/api/createQuoteApi.ts'
import type { Config } from '../config/config.ts'
import { type Amount, parseAmount, show, showText, tokenOf, toText } from '../core/amount.ts'
import { formatDecimal } from '../core/decimal.ts'
import { display } from '../core/display.ts'
import { ballastError, usageError } from '../core/errors.ts'
import { showPrice } from '../core/price.ts'
import { table } from '../core/textLayout.ts'
import { sameToken, type Token } from '../core/token.ts'
import { defineCommand } from './command.ts'
import { quotes } from './needs.ts'
import { wholeNumber } from './options.ts'

type Asked = {
  readonly quotes: QuoteApi
  readonly config: Config
  readonly sell: Amount
  readonly buy: Token
  readonly signal: AbortSignal
}

type Terms = { readonly slippageBps: number; readonly expirySeconds: number }

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
  config: 'everything',
  needs: { quotes },
  async run({ config, quotes: service, options, signal, terminal }) {
    const sell = parseAmount(options.sell, config.tokens.bySymbol)
    const buy = tokenOf(options.buy, config.tokens.bySymbol)
    if (sell.wei === 0n) throw usageError('--sell is nothing: sell more than zero.')
    if (sameToken(sell.token, buy)) throw usageError(`--sell and --buy are both ${buy.symbol}.`)
    const asked = { quotes: service, config, sell, buy, signal }
    const quoted = options.firm
      ? await firm(asked, {
          slippageBps: options.slippageBps ?? config.quote.slippageBps,
          expirySeconds: options.expiry ?? config.quote.expirySeconds,
        })
      : await indicative(asked)
    terminal.note("This is the service's claim; nothing was verified. 'ballast swap' verifies.")
    return quoted
  },
  text: (quoted) =>
    table([
      ['sell', showText(quoted.sell)],
      ['get', showText(quoted.buy)],
      ['price', quoted.price],
      ...(quoted.kind === 'indicative'
        ? [['route', quoted.route.join(' -> ')]]
        : [
            ['good for', `${quoted.secondsLeft} s`],
            ['orders', `${quoted.orders.length}, from ${quoted.source}`],
            ['router', quoted.target],
          ]),
    ]),
})

async function indicative({ quotes: service, config, sell, buy, signal }: Asked) {
  const { value, requestId, receivedAt } = await service.indicative(
    {
      chain: config.chain.name,
      token_in: sell.token.address,
      token_out: buy.address,
      amount_wei: sell.wei.toString(),
      from_address: config.wallet.address,
    },
    signal,
  )
  assertAsked(value.sellerTokenAmountWei, sell)
  const bought = { token: buy, wei: BigInt(value.buyerTokenAmountWei) }
  return {
    kind: 'indicative' as const,
    sell: toText(sell),
    buy: toText(bought),
    price: showPrice({ sold: sell, bought }),
    route: value.routes.map((step) => display(step, 64)),
    requestId,
    receivedAt,
  }
}

async function firm(
  { quotes: service, config, sell, buy, signal }: Asked,
  { slippageBps, expirySeconds }: Terms,
) {
  const { value, requestId, receivedAt } = await service.firm(
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
  const { amountIn, amountOut, orders, source, txRequest } = value
  assertAsked(amountIn, sell)
  const bought = { token: buy, wei: BigInt(amountOut) }
  const deadline = Math.min(...orders.map(({ deadlineTimestamp }) => deadlineTimestamp))
  return {
    kind: 'firm' as const,
    sell: toText(sell),
    buy: toText(bought),
    price: showPrice({ sold: sell, bought }),
    slippageBps,
    deadline,
    secondsLeft: deadline - Math.floor(receivedAt / 1_000),
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
    requestId,
    receivedAt,
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
