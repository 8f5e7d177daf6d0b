import {
  type Amount,
  type Context,
  type Decision,
  type Fill,
  fillsMax,
  held,
  type Intent,
  type Level,
  type Memory,
  type Price,
  type Strategy,
  sameToken,
  type Token,
  type Total,
  type Watch,
  worthInto,
} from '#strategy'
import { contextWith } from '#strategy/testing'

/** A market of our own: what a whole token is worth in millionths of a dollar, and how deep and dear its books are. */
export type World = {
  readonly prices: Readonly<Record<string, bigint>>
  readonly halfSpreadBps: number
  /** What each level is worth in whole dollars, best first, and how much less each pays than the one before. */
  readonly levels: readonly bigint[]
  readonly stepBps: number
  /** Pairs without a market, as `WETH/WBTC`. */
  readonly closed?: readonly string[]
}

const oneUsd = 1_000_000n

const unit = (token: Token) => 10n ** BigInt(token.decimals)

/** What an amount of one token is in another at the middle. */
export function convert({ prices }: World, { token, wei }: Amount, into: Token): Amount {
  const [from, to] = [prices[token.symbol] ?? 0n, prices[into.symbol] ?? 1n]
  return { token: into, wei: (wei * from * unit(into)) / (to * unit(token)) }
}

function levelsOf(world: World, { sell, buy }: Watch): readonly Level[] {
  if (world.closed?.includes(`${sell.token.symbol}/${buy.symbol}`)) return []
  return world.levels.map((dollars, depth): Level => {
    const price = world.prices[sell.token.symbol] ?? 1n
    const sold = { token: sell.token, wei: (dollars * oneUsd * unit(sell.token)) / price }
    const middle = convert(world, sold, buy)
    const paid = BigInt(10_000 - world.halfSpreadBps - depth * world.stepBps)
    return { sold, bought: { token: buy, wei: (middle.wei * paid) / 10_000n } }
  })
}

/** What the service, the books and the references say of what is watched. */
export function lookAt(
  world: World,
  watches: readonly Watch[],
): Pick<Context<unknown>, 'indications' | 'depths' | 'references'> {
  const books = watches.map((watch) => levelsOf(world, watch))
  return {
    depths: books,
    indications: watches.map(({ sell }, place) => {
      const bought = worthInto(books[place] ?? [], sell)
      return bought === undefined ? undefined : { sold: sell, bought, route: ['maker-a'] }
    }),
    references: watches.map(
      ({ sell, buy }): Price => ({
        sold: sell,
        bought: convert(world, sell, buy),
      }),
    ),
  }
}

type Standing<params> = {
  readonly strategy: Strategy<params>
  readonly params: params
  readonly balances: readonly Amount[]
}

/** A wallet with one strategy, asked again and again, whose swaps fill exactly as the books say. */
export function createDesk<params>({ strategy, params, ...start }: Standing<params>) {
  let { balances } = start
  let fills: readonly Fill[] = []
  let totals: readonly Total[] = []
  let memory: Memory | undefined
  let now = Date.UTC(2026, 0, 1)

  function move(token: Token, wei: bigint): void {
    const there = held(balances, token).wei
    if (there + wei < 0n) throw new Error(`sells more ${token.symbol} than there is`)
    balances = [
      ...balances.filter((balance) => !sameToken(balance.token, token)),
      { token, wei: there + wei },
    ]
  }

  function fill(world: World, { sell, buy, floor }: Intent): void {
    const bought = worthInto(levelsOf(world, { sell, buy }), sell)
    if (bought === undefined || bought.wei < floor.wei)
      throw new Error(`the market pays ${bought?.wei}, the floor is ${floor.wei}`)
    move(sell.token, -sell.wei)
    move(buy, bought.wei)
    fills = [{ at: now, price: { sold: sell, bought } }, ...fills]
    const isSame = ({ sold, bought: got }: Total) =>
      sameToken(sold.token, sell.token) && sameToken(got.token, buy)
    const before = totals.find(isSame)
    totals = [
      ...totals.filter((total) => !isSame(total)),
      {
        sold: { ...sell, wei: sell.wei + (before?.sold.wei ?? 0n) },
        bought: { ...bought, wei: bought.wei + (before?.bought.wei ?? 0n) },
        swaps: 1 + (before?.swaps ?? 0),
      },
    ]
  }

  function contextIn(world: World, overrides: Overrides<params> = {}): Context<params> {
    return contextWith(params, {
      now,
      ...lookAt(world, strategy.watch(params)),
      balances,
      fills: fills.slice(0, fillsMax),
      lastFill: fills[0],
      totals,
      memory,
      ...overrides,
    })
  }

  return {
    move,
    contextIn,
    wait: (ms: number) => {
      now += ms
    },
    balances: () => balances,
    fills: () => fills,
    totals: () => totals,
    now: () => now,
    /** One look; what it wants is done at once, unless the market is elsewhere by then. */
    ask(world: World, overrides: Overrides<params> = {}): Decision {
      const decision = strategy.decide(contextIn(world, overrides))
      memory = decision.memory
      if (decision.kind === 'swap') for (const intent of decision.intents) fill(world, intent)
      return decision
    },
  }
}

type Overrides<params> = Partial<Omit<Context<params>, 'params'>>
