import {
  type Amount,
  type Context,
  type Fill,
  fillsMax,
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

export function levelsOf(world: World, { sell, buy }: Watch): readonly Level[] {
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

/** A wallet with one strategy, asked again and again, whose swaps fill exactly as the books say. */
export class Desk<params> {
  balances: Amount[]
  fills: Fill[] = []
  totals: Total[] = []
  memory: Memory | undefined
  now = Date.UTC(2026, 0, 1)
  readonly done: Intent[] = []

  constructor(
    readonly strategy: Strategy<params>,
    readonly params: params,
    balances: readonly Amount[],
  ) {
    this.balances = [...balances]
  }

  context(world: World, overrides: Partial<Context<params>> = {}): Context<params> {
    return contextWith(this.params, {
      now: this.now,
      ...lookAt(world, this.strategy.watch(this.params)),
      balances: this.balances,
      fills: this.fills.slice(0, fillsMax),
      lastFill: this.fills[0],
      totals: this.totals,
      memory: this.memory,
      ...overrides,
    })
  }

  /** One look; what it wants to swap, done. */
  ask(world: World, overrides: Partial<Context<params>> = {}): readonly Intent[] {
    const decision = this.strategy.decide(this.context(world, overrides))
    this.memory = decision.memory
    if (decision.kind !== 'swap') return []
    for (const intent of decision.intents) this.fill(world, intent)
    return decision.intents
  }

  fill(world: World, intent: Intent): void {
    const { sell, buy } = intent
    const bought = worthInto(levelsOf(world, { sell, buy }), sell)
    if (bought === undefined || bought.wei < intent.floor.wei)
      throw new Error(`the market pays ${bought?.wei}, the floor is ${intent.floor.wei}`)
    this.move(sell.token, -sell.wei)
    this.move(buy, bought.wei)
    const price = { sold: sell, bought }
    this.fills.unshift({ at: this.now, price })
    const total = this.totals.find(
      (one) => sameToken(one.sold.token, sell.token) && sameToken(one.bought.token, buy),
    )
    this.totals = [
      ...this.totals.filter((one) => one !== total),
      {
        sold: { ...sell, wei: sell.wei + (total?.sold.wei ?? 0n) },
        bought: { ...bought, wei: bought.wei + (total?.bought.wei ?? 0n) },
        swaps: 1 + (total?.swaps ?? 0),
      },
    ]
    this.done.push(intent)
  }

  move(token: Token, wei: bigint): void {
    const held = this.balances.find((balance) => sameToken(balance.token, token))?.wei ?? 0n
    if (held + wei < 0n) throw new Error(`sells more ${token.symbol} than there is`)
    this.balances = [
      ...this.balances.filter((balance) => !sameToken(balance.token, token)),
      { token, wei: held + wei },
    ]
  }
}
