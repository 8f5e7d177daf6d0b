import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Appraisal } from '../../../src/bot/stages.ts'
import type { LoadedStrategy } from '../../../src/bot/strategy/load.ts'
import type { Config } from '../../../src/config/config.ts'
import { loadConfig } from '../../../src/config/loadConfig.ts'
import { type Amount, amountOf, parseAmount, tokenOf } from '../../../src/core/amount.ts'
import { type Price, worthAt } from '../../../src/core/price.ts'
import { sameToken, type Token, usdOf } from '../../../src/core/token.ts'
import type { MarketView, Outlook } from '../../../src/forecast/forecastTypes.ts'
import { goodYaml } from '../../config/goodYaml.ts'
import { nothingSpent } from '../../support/planned.ts'

type Changes = readonly (readonly [from: string, to: string])[]

/** The configuration of the tests, with lines replaced and strategies of these names added. */
export function planFixture(changes: Changes = [], names: readonly string[] = []) {
  const cwd = mkdtempSync(join(tmpdir(), 'ballast-plan-'))
  const yaml = changes.reduce(
    (text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`there is no '${from}' to replace`)
      return text.replace(from, to)
    },
    goodYaml.replace('strategies:\n', `strategies:\n${names.map(entry).join('')}`),
  )
  writeFileSync(join(cwd, 'ballast.yaml'), yaml)
  const config = loadConfig({ file: 'ballast.yaml', environment: {}, cwd })
  const { bySymbol } = config.tokens
  const amount = (text: string) => parseAmount(text, bySymbol)
  const token = (symbol: string) => tokenOf(symbol, bySymbol)
  return { cwd, config, amount, token, outlook: knownAt({ config, amount, token }) }
}

const entry = (name: string) => `  - name: ${name}
    use: threshold
    params: { sell: 1 WETH, buy: USDC, price: 2950 USDC, every: 5s }
`

/** A WETH is worth 3000 dollars, and a USDC one; a book is 2 WETH deep at 3000 and 8 more at 2970. */
const knownAt =
  ({
    config,
    amount,
    token,
  }: {
    config: Config
    amount: (text: string) => Amount
    token: (symbol: string) => Token
  }) =>
  (
    now: number,
    strategies: readonly LoadedStrategy[],
    { balances = ['1000000 USDC', '1000 WETH', '10 ETH'], ...changes }: Balances = {},
  ): Outlook => {
    const [weth, usdc, eth] = [token('WETH'), token('USDC'), token('ETH')]
    const price = (sold: Amount, bought: Amount): Price => ({ sold, bought })
    const buys = [
      price(amount('2 WETH'), amount('6000 USDC')),
      price(amount('8 WETH'), amount('23760 USDC')),
    ]
    const sells = [
      price(amount('6000 USDC'), amount('2 WETH')),
      price(amount('24240 USDC'), amount('8 WETH')),
    ]
    const view = ({ watches, accounts }: LoadedStrategy): MarketView => {
      const levels = watches.map(({ sell }) => (sameToken(sell.token, usdc) ? sells : buys))
      return {
        indications: watches.map(({ sell, buy }) => ({
          sold: sell,
          bought: worthAt(
            sameToken(buy, weth)
              ? price(amount('3000 USDC'), amount('1 WETH'))
              : price({ ...amount('1 WETH'), token: sell.token }, amount('3000 USDC')),
            sell,
          ),
          route: [],
        })),
        depths: watches.map(() => []),
        references: watches.map(() => undefined),
        accounts: accounts?.map((one) => ({ ...one, held: { token: one.token, wei: 0n } })),
        swapCost: amountOf(eth, '0.0001'),
        knownCost: amountOf(eth, '0.0001'),
        levels,
      }
    }
    return {
      now,
      balances: balances.map(amount),
      views: new Map(strategies.map((one) => [one.name, view(one)])),
      standing: () => ({
        inflight: [],
        lastFill: undefined,
        fills: [],
        totals: [],
        memory: undefined,
      }),
      appraise: async ({ sell, buy }): Promise<Appraisal> => {
        const usd = usdOf(config.chain.chainId)
        const dollars = (one: Amount) => ({
          token: usd,
          wei: sameToken(one.token, usdc) ? one.wei * 100n : (one.wei * 3_000n) / 10n ** 10n,
        })
        const fair = worthAt(
          sameToken(buy, usdc)
            ? price({ ...amount('1 WETH'), token: sell.token }, amount('3000 USDC'))
            : price(amount('3000 USDC'), { ...amount('1 WETH'), token: buy }),
          sell,
        )
        const source = 'a pool'
        return {
          askedAt: now,
          references: [
            { source, fair, independent: true, endpoints: [source], liarsMin: 1, at: now },
          ],
          absent: [],
          notional: dollars(sell),
          coin: dollars(amountOf(eth, '1')),
          pegs: [],
        }
      },
      valued: true,
      spent: async () => nothingSpent,
      ofAllWallets: async () => ({ hour: 0n, day: 0n }),
      goesOnAfter: () => now,
      lock: async () => undefined,
      unknown: [],
      ...changes,
    }
  }

type Balances = { readonly balances?: readonly string[] } & Partial<Omit<Outlook, 'balances'>>
