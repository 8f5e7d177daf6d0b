import { askFirm, askIndicative } from '../app/reading/askQuote.ts'
import { parseAmount, showText, tokenOf } from '../core/amount.ts'
import { usageError } from '../core/errors.ts'
import { table } from '../core/textLayout.ts'
import { sameToken } from '../core/token.ts'
import { defineCommand } from './command.ts'
import { quotes } from './needs.ts'
import { wholeNumber } from './options.ts'

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
    assertFirm(options)
    const sell = parseAmount(options.sell, config.tokens.bySymbol)
    const buy = tokenOf(options.buy, config.tokens.bySymbol)
    if (sell.wei === 0n) throw usageError('--sell must be more than zero.')
    if (sameToken(sell.token, buy)) throw usageError(`--sell and --buy are both ${buy.symbol}.`)
    const asked = { quotes: service, config, sell, buy, signal }
    const quoted = options.firm
      ? await askFirm(asked, {
          slippageBps: options.slippageBps ?? config.quote.slippageBps,
          expirySeconds: options.expiry ?? config.quote.expirySeconds,
        })
      : await askIndicative(asked)
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

/** What only a firm quote has would be ignored without a word. */
function assertFirm({
  firm,
  slippageBps,
  expiry,
}: {
  readonly firm: boolean
  readonly slippageBps: number | undefined
  readonly expiry: number | undefined
}): void {
  if (firm) return
  if (slippageBps !== undefined) throw usageError('--slippage-bps goes with --firm.')
  if (expiry !== undefined) throw usageError('--expiry goes with --firm.')
}
