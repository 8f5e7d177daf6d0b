import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Config } from '../config/config.ts'
import { sameToken } from '../core/token.ts'

type Entry = Pick<LoadedStrategy, 'name' | 'params' | 'strategy' | 'schedule'>

/** Entries that are right one by one, and hardly meant so: at an instant, in milliseconds since the epoch. */
export const strategyDoubts = (
  strategies: readonly Entry[],
  { policy, now }: Pick<Config, 'policy'> & { readonly now: number },
): readonly string[] => [
  ...strategies.flatMap((entry) => [...endedOrder(entry, now), ...oddCalendar(entry)]),
  ...pairsOf(strategies).flatMap((pair) => [...circle(pair, policy), ...sameWeights(pair)]),
]

/** One that is written anew has the wrong year. */
function endedOrder({ name, params }: Entry, now: number): readonly string[] {
  const end = endOf(params as Readonly<Record<string, unknown>>)
  return end === undefined || end > now
    ? []
    : [`${name} is over: its end is ${new Date(end).toISOString()}`]
}

/** The end of an order, as it is written or by its slices. */
function endOf({
  end,
  start,
  slices,
  every,
}: Readonly<Record<string, unknown>>): number | undefined {
  if (typeof end === 'number') return end
  if (typeof start !== 'number' || typeof slices !== 'number' || typeof every !== 'number')
    return undefined
  return start + slices * every * 1_000
}

function oddCalendar({ name, schedule }: Entry): readonly string[] {
  if (schedule.kind !== 'cron') return []
  const { expression } = schedule
  const [minute, hour, day, month, weekday] = expression.split(/\s+/).map((field, place) => {
    // Of days `*/1` is a list of all of them, and goes beside the other field.
    const isDay = place === 2 || place === 4
    return field === '?' || (field === '*/1' && !isDay) ? '*' : field
  })
  const quoted = `${name}: '${expression}'`
  const days = (day ?? '').split(',')
  return [
    ...(minute === '*' && hour !== '*' ? [`${quoted} is every minute of its hours`] : []),
    ...(day !== '*' && weekday !== '*'
      ? [`${quoted} is each of its days of the month, and each of its weekdays as well`]
      : []),
    ...(month === '*' && weekday === '*' && days.every((one) => /^(?:29|30|31)$/.test(one))
      ? [`${quoted} leaves out each month without such a day`]
      : []),
  ]
}

type Pair = readonly [Entry, Entry]

const pairsOf = (strategies: readonly Entry[]): readonly Pair[] =>
  strategies.flatMap((one, nth) => strategies.slice(nth + 1).map((other): Pair => [one, other]))

/** One sells at a price at which the other buys back. */
function circle([one, other]: Pair, { perSwap }: Config['policy']): readonly string[] {
  const [mine, theirs] = [one, other].map(({ strategy, params }) =>
    (strategy.typicalSwaps?.({ params, swapLimits: perSwap }) ?? []).flatMap(
      ({ price }) => price ?? [],
    ),
  )
  const meet = mine?.some((there) =>
    theirs?.some(
      (back) =>
        sameToken(there.sold.token, back.bought.token) &&
        sameToken(there.bought.token, back.sold.token) &&
        there.bought.wei * back.bought.wei <= there.sold.wei * back.sold.wei,
    ),
  )
  return meet
    ? [
        `${one.name} and ${other.name} trade in a circle: there are prices at which each undoes what the other did`,
      ]
    : []
}

/** Two weights of one asset pull at it by turns. */
function sameWeights([one, other]: Pair): readonly string[] {
  const [mine, theirs] = [one, other].map(({ strategy, params }) => strategy.weighs?.(params) ?? [])
  const shared = mine?.filter((token) => theirs?.some((it) => sameToken(it, token))) ?? []
  return shared.length < 2
    ? []
    : [
        `${one.name} and ${other.name} both weigh ${shared.map(({ symbol }) => symbol).join(', ')}: each undoes what the other did`,
      ]
}
