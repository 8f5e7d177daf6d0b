import { type SandboxWorld, worldSchema } from '../sandbox/world.ts'
import type { BadToken } from './lie.ts'

/** A token of the user's, as far as the drill rebuilds it. */
export type DrillToken = {
  readonly symbol: string
  readonly decimals: number
  readonly wrapsNative: boolean
  /** Worth one US dollar by definition. */
  readonly isDollar: boolean
}

/** Whole coins of any other token for one of the chain's own currency: of the market the sandbox ships. */
export const worthOfNative = 3_000n

const badTokens: Readonly<Record<BadToken, string>> = {
  XLEAKY: 'fee-on-transfer',
  XMUTE: 'no-return',
  XFALSE: 'false-return',
  XHOOK: 'reentrant',
  XLIST: 'blocklist',
}
/** The tokens every world of a drill has besides the user's. */
export const badSymbols = Object.keys(badTokens)

/** A pool of the usual size in more digits than this does not fit the pool's own counters. */
const decimalsMax = 24

/** Whether the embedded market can have this token. */
export function canDrill({ symbol, decimals }: Pick<DrillToken, 'symbol' | 'decimals'>): boolean {
  return (
    /^[A-Za-z][A-Za-z0-9.]{0,15}$/.test(symbol) &&
    decimals <= decimalsMax &&
    !badSymbols.includes(symbol)
  )
}

/**
 * The user's tokens in a market that stands still and is too deep to be emptied by a drill, with tokens that do not
 * behave beside them. Worth is made up: what is drilled is the bot, not the market.
 */
export function drillWorld({
  currency,
  tokens,
}: {
  currency: string
  tokens: readonly DrillToken[]
}): SandboxWorld {
  const wrapped = tokens.find(({ wrapsNative }) => wrapsNative)?.symbol ?? `W${currency}`
  const others = tokens.map(({ symbol }) => symbol).filter((symbol) => symbol !== wrapped)
  const each = <value>(value: value, symbols: readonly string[]) =>
    Object.fromEntries(symbols.map((symbol) => [symbol, value]))
  const price = String(worthOfNative)
  return worldSchema.parse({
    chain: {
      name: 'drill',
      chainId: '31337',
      label: 'Drill',
      token: currency,
      // Mined on demand: the service must not call a chain that waits stale.
      blockTimeSeconds: '600',
    },
    tokens: {
      [wrapped]: { decimals: '18', wrapsNative: true },
      ...Object.fromEntries(
        tokens
          .filter(({ symbol }) => symbol !== wrapped)
          .map(({ symbol, decimals, isDollar }) => [
            symbol,
            { decimals: String(decimals), isDollar },
          ]),
      ),
      ...Object.fromEntries(
        Object.entries(badTokens).map(([symbol, behaves]) => [symbol, { decimals: '18', behaves }]),
      ),
    },
    pools: [...others, ...badSymbols].map((symbol) => ({
      kind: 'uniswap-v2',
      tokens: [wrapped, symbol],
      reserves: ['100000', '300000000'],
    })),
    makers: [
      {
        name: 'maker-a',
        inventory: { [wrapped]: '1000000', ...each('3000000000', others) },
        books: others.flatMap((symbol, index) => [
          { pair: [wrapped, symbol], bid: [['100000', price]], ask: [['100000', price]] },
          ...others.slice(index + 1).map((other) => ({
            pair: [symbol, other],
            bid: [['9999999', '1']],
            ask: [['9999999', '1']],
          })),
        ]),
      },
    ],
    wallets: {
      treasury: {
        native: '10000',
        [wrapped]: '10000',
        ...each('30000000', [...others, ...badSymbols]),
      },
    },
  })
}
