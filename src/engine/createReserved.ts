import { isDeepStrictEqual } from 'node:util'
import type { Memory, Own } from '../bot/strategy/index.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Amount } from '../core/amount.ts'
import type { Clock } from '../core/clock.ts'
import { BallastError } from '../core/errors.ts'
import { sameToken } from '../core/token.ts'

type Keeping = {
  /** The strategies that run now. */
  readonly strategies: () => readonly LoadedStrategy[]
  /** The swaps of a strategy and its memory as its own record has them. */
  readonly standingOf: (strategy: string, params: unknown) => Standing | Promise<Standing>
  readonly clock: Pick<Clock, 'now'>
  /** Locks a strategy whose `reserves` failed; throws where that ends the world. */
  readonly broke: (loaded: LoadedStrategy, error: BallastError) => Promise<void>
}

type Standing = Own & { readonly memory: Memory | undefined }

/**
 * Amounts that strategies reserve from each other: {@link reservedByOthers}.
 *
 * A record changes with the swaps of its strategy and with what it remembers, so it is read from the journal again only
 * after those: `forget` marks that.
 */
export function createReserved({ strategies, standingOf, clock, broke }: Keeping) {
  const known = new Map<string, Standing>()
  /** The last answer of each keeper, and its parameters then. */
  const answered = new Map<
    string,
    { readonly params: unknown; readonly amounts: readonly Amount[] }
  >()
  let all: readonly LoadedStrategy[] = []
  let keepers: readonly LoadedStrategy[] = []
  let priorities: ReadonlyMap<string, number> = new Map()
  /** Few strategies reserve anything: they are picked out once, and again when others run. */
  function lookAgain(): void {
    if (all === strategies()) return
    all = strategies()
    // Other parameters have another memory.
    known.clear()
    keepers = all.filter(({ strategy }) => strategy.reserves !== undefined)
    priorities = new Map(all.map(({ name, priority }) => [name, priority]))
  }

  /** One that fails is locked. The others go on, and do not see what it reserved last. */
  async function keptBy(loaded: LoadedStrategy): Promise<Kept> {
    const { name, priority, strategy, params } = loaded
    const own = known.get(name) ?? (await standingOf(name, params))
    known.set(name, own)
    try {
      const amounts = strategy.reserves?.({ ...own, params, now: clock.now() }) ?? []
      answered.set(name, { params, amounts })
      return { name, priority, amounts }
    } catch (error) {
      if (!(error instanceof BallastError)) throw error
      await broke(loaded, error)
      const last = answered.get(name)
      const isSame = isDeepStrictEqual(last?.params, params)
      return {
        name,
        priority,
        amounts: (isSame ? last?.amounts : undefined) ?? allItTrades(loaded),
      }
    }
  }

  return {
    async reserved(name: string): Promise<readonly Amount[]> {
      lookAgain()
      if (keepers.length === 0) return []
      const looking = { name, priority: priorities.get(name) ?? 0 }
      const above = keepers.filter(({ priority }) => priority >= looking.priority)
      const kept: Kept[] = []
      // One after the other: what waits has its turn behind each that was late.
      for (const keeper of above) kept.push(await keptBy(keeper))
      return reservedByOthers(looking, kept)
    },
    forget(name: string): void {
      known.delete(name)
    },
  }
}

/**
 * The reserve of a strategy that never said one under its parameters: all of the tokens that it watches. Others that wait
 * lose time; others that sell what it was to keep lose money.
 */
const allItTrades = ({ watches }: LoadedStrategy): readonly Amount[] =>
  watches.flatMap(({ sell, buy }) => [sell.token, buy].map((token) => ({ token, wei: everything })))

/** More than any wallet holds: a balance is at most this. */
const everything = 2n ** 256n - 1n

/** The amounts that a strategy reserves. */
export type Kept = {
  readonly name: string
  readonly priority: number
  readonly amounts: readonly Amount[]
}

/**
 * Amounts hidden from one strategy: those that others of its own or a higher priority reserve. `kept` is in the order
 * of the file. Of two of one priority that keep the same token the first does not see that of the second, or each would
 * wait for the other for ever.
 */
export function reservedByOthers(
  looking: { readonly name: string; readonly priority: number },
  kept: readonly Kept[],
): readonly Amount[] {
  const place = kept.findIndex(({ name }) => name === looking.name)
  const own = kept[place]?.amounts ?? []
  const isKept = ({ token }: Amount) =>
    own.some((amount) => sameToken(amount.token, token) && amount.wei > 0n)
  return kept.flatMap(({ name, priority, amounts }, index) => {
    if (name === looking.name || priority < looking.priority) return []
    if (priority > looking.priority || index < place) return amounts
    return amounts.filter((amount) => !isKept(amount))
  })
}
