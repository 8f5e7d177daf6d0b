import type { PublishedPair } from '../api/orderbook.ts'
import type { Config } from '../config/config.ts'
import { tokenOf } from '../core/amount.ts'
import { display } from '../core/display.ts'
import { table } from '../core/textLayout.ts'
import { assetOf, sameAddress, type Token } from '../core/token.ts'
import { defineCommand } from './command.ts'
import { quotes } from './needs.ts'
import { readPair } from './options.ts'

/** Enough to see the shape of a side; the rest is in --json. */
const levelsShown = 5

export const command = defineCommand({
  name: 'orderbook',
  summary: 'the price levels of every pair, or of one',
  example: 'ballast orderbook --pair WETH/USDC',
  options: {
    pair: { flags: '--pair <base/quote>', summary: 'only this pair, in either direction' },
  },
  config: 'everything',
  needs: { quotes },
  async run({ config, quotes: service, options, signal }) {
    const pair = options.pair === undefined ? undefined : tokensOf(options.pair, config)
    const { name } = config.chain
    const { value, receivedAt } = await service.orderbook(name, signal)
    const rows = value.filter((row) => pair === undefined || isOf(row, pair))
    return { chain: name, receivedAt, pairs: rows.map(displayed) }
  },
  text: ({ pairs }) =>
    pairs.length === 0 ? 'No levels at the moment.' : print(pairs.filter(isNew)),
})

/** Not an ask over again, as a bid for its quote token. */
const isNew = (row: PublishedPair, _: number, rows: readonly PublishedPair[]) =>
  row.side === 'ask' || !rows.some((ask) => ask.side === 'ask' && repeats(row, ask))

/** Level by level the price the other way round, but for a last digit. */
const repeats = (bid: PublishedPair, ask: PublishedPair) =>
  sameAddress(ask.base_address, bid.quote_address) &&
  sameAddress(ask.quote_address, bid.base_address) &&
  ask.levels.length === bid.levels.length &&
  ask.levels.every(([, price], index) => {
    const [, mirrored = 0] = bid.levels[index] ?? []
    return Math.abs(price * mirrored - 1) < 1e-9
  })

/** Symbols are the service's words. */
const displayed = (row: PublishedPair): PublishedPair => ({
  ...row,
  base_symbol: display(row.base_symbol, 64),
  quote_symbol: display(row.quote_symbol, 64),
})

function print(rows: readonly PublishedPair[]): string {
  return table([
    ['pair', 'the maker', 'amount', 'price', 'minimum'],
    ...rows.flatMap((row) => {
      const base = display(row.base_symbol, 16)
      const quote = display(row.quote_symbol, 16)
      const shown = row.levels
        .slice(0, levelsShown)
        .map(([amount, price], index) => [
          index === 0 ? `${base}/${quote}` : '',
          index === 0 ? (row.side === 'bid' ? `buys ${base}` : `sells ${base}`) : '',
          `${amount} ${base}`,
          `${price} ${quote}`,
          index === 0 ? `${row.minimum_in_base} ${base}` : '',
        ])
      const hidden = row.levels.length - shown.length
      return hidden > 0 ? [...shown, ['', '', `… ${hidden} more`]] : shown
    }),
  ])
}

function tokensOf(pair: string, { tokens }: Config): readonly [Token, Token] {
  const [base, quote] = readPair(pair)
  // Makers quote the wrapped form; the service wraps and unwraps.
  const listed = (symbol: string) => assetOf(tokenOf(symbol, tokens.bySymbol), tokens)
  return [listed(base), listed(quote)]
}

function isOf(row: PublishedPair, [one, other]: readonly [Token, Token]): boolean {
  const is = (a: Token, b: Token) =>
    sameAddress(row.base_address, a.address) && sameAddress(row.quote_address, b.address)
  return is(one, other) || is(other, one)
}
