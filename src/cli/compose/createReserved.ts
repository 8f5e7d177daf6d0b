import type { Own } from '../../bot/strategy/index.ts'
import type { LoadedStrategy } from '../../bot/strategy/load.ts'
import type { Amount } from '../../core/amount.ts'

type Keeping = {
  /** Those that run now. */
  readonly strategies: () => readonly LoadedStrategy[]
  readonly ownStanding: (strategy: string) => Promise<Own>
}

/**
 * What strategies keep from each other. A strategy does not see what others of its own or a higher priority reserve.
 *
 * What one reserves changes with its swaps alone, so it is worked out again only after one: `forget` says so.
 */
export function createReserved({ strategies, ownStanding }: Keeping) {
  const known = new Map<string, { readonly of: LoadedStrategy; readonly kept: readonly Amount[] }>()

  let all: readonly LoadedStrategy[] = []
  let keepers: readonly LoadedStrategy[] = []
  let priorities: ReadonlyMap<string, number> = new Map()
  /** Those that keep anything are few: they are picked out once, and again when others run. */
  function lookAgain(): void {
    if (all === strategies()) return
    all = strategies()
    keepers = all.filter(({ strategy }) => strategy.reserves !== undefined)
    priorities = new Map(all.map(({ name, priority }) => [name, priority]))
  }

  async function keptBy(loaded: LoadedStrategy): Promise<readonly Amount[]> {
    const { name, strategy, params } = loaded
    const before = known.get(name)
    if (before?.of === loaded) return before.kept
    const kept = strategy.reserves?.({ ...(await ownStanding(name)), params }) ?? []
    known.set(name, { of: loaded, kept })
    return kept
  }

  return {
    async reserved(name: string): Promise<readonly Amount[]> {
      lookAgain()
      const mine = priorities.get(name) ?? 0
      const others = keepers.filter((one) => one.name !== name && one.priority >= mine)
      return (await Promise.all(others.map(keptBy))).flat()
    },
    forget(name: string): void {
      known.delete(name)
    },
  }
}
