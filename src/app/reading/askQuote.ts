import type { QuoteApi } from '../../bot/quote/api/createQuoteApi.ts'
import type { Config } from '../../config/config.ts'
import { type Amount, show, toText } from '../../core/amount.ts'
import { formatDecimal } from '../../core/decimal.ts'
import { display } from '../../core/display.ts'
import { ballastError } from '../../core/errors.ts'
import { showPrice } from '../../core/price.ts'
import type { Token } from '../../core/token.ts'

type Asked = {
  readonly quotes: QuoteApi
  readonly config: Config
  readonly sell: Amount
  readonly buy: Token
  readonly signal: AbortSignal
}

type Terms = { readonly slippageBps: number; readonly expirySeconds: number }

/** Requests a price, as `ballast quote --json` has it. */
export async function askIndicative({ quotes: service, config, sell, buy, signal }: Asked) {
  const { value, requestId, receivedAt } = await service.indicative(
    {
      chain: config.chain.name,
      ...tradeOf({ sell, buy }),
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

/** Requests a quote with signed orders, as `ballast quote --firm --json` has it. Nothing of it is verified. */
export async function askFirm(
  { quotes: service, config, sell, buy, signal }: Asked,
  { slippageBps, expirySeconds }: Terms,
) {
  const { value, requestId, receivedAt } = await service.firm(
    {
      src_chain: config.chain.name,
      dst_chain: config.chain.name,
      ...tradeOf({ sell, buy }),
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

const tradeOf = ({ sell, buy }: Pick<Asked, 'sell' | 'buy'>) => ({
  token_in: sell.token.address,
  token_out: buy.address,
  amount_wei: sell.wei.toString(),
})

/** A price for another amount than the requested one is no answer. */
function assertAsked(answered: string, sell: Amount): void {
  if (BigInt(answered) === sell.wei) return
  throw ballastError('QUOTE_MALFORMED', 'The quoting service answered for another amount.', {
    asked: show(sell),
    answered: show({ token: sell.token, wei: BigInt(answered) }),
  })
}
