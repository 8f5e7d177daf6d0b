import type { PlannedAsk, PlannedStrategy, PlanView } from '../dashboard/planView.ts'
import { shortAmount } from './planText.ts'

/**
 * The changes from one plan to another, a line each: `+` comes, `-` goes, `~` changes. Only the part both look at:
 * slots of the window they have in common.
 */
export function comparePlans(before: PlanView, after: PlanView): readonly string[] {
  // ISO 8601 of one zone sorts as time does.
  const [, from = ''] = [before.from, after.from].sort()
  const [until = ''] = [before.until, after.until].sort()
  const window = { from, until }
  const names = [...before.strategies, ...after.strategies].map(({ name }) => name)
  const pairs = [...new Set(names)].map((name) => ({
    old: before.strategies.find((one) => one.name === name),
    new: after.strategies.find((one) => one.name === name),
  }))
  return [
    ...pairs.flatMap((pair) => strategyLines(pair.old, pair.new, window)),
    ...blockLines(before, after),
  ]
}

type Window = { readonly from: string; readonly until: string }

function strategyLines(
  before: PlannedStrategy | undefined,
  after: PlannedStrategy | undefined,
  window: Window,
): readonly string[] {
  const whole = ({ name, schedule, slots }: PlannedStrategy) =>
    `${name}: ${schedule}, ${slots} slots`
  if (before === undefined) return after === undefined ? [] : [`+ ${whole(after)}`]
  if (after === undefined) return [`- ${whole(before)}`]
  const schedule =
    before.schedule === after.schedule
      ? []
      : [`~ ${after.name}: ${before.schedule} -> ${after.schedule}`]
  return [...schedule, ...slotLines(before, after, window)]
}

function slotLines(
  before: PlannedStrategy,
  after: PlannedStrategy,
  { from, until }: Window,
): readonly string[] {
  const isWithin = ({ at }: PlannedAsk) => at > from && at <= until
  const [old, young] = [before.asks.filter(isWithin), after.asks.filter(isWithin)]
  // Of a period only changes are listed, and the first of them at the slot the plan began with.
  if (isPeriod(before) && isPeriod(after)) {
    const [was, is] = [old, young].map((asks) =>
      asks
        .map(effectOf)
        .filter((effect, index, all) => effect !== all[index - 1])
        .join(', then '),
    )
    return was === is ? [] : [`~ ${after.name}: ${was || 'nothing'} -> ${is || 'nothing'}`]
  }
  const instants = [...new Set([...old, ...young].map(({ at }) => at))].sort()
  const changes = instants.flatMap((at) => {
    const [a, b] = [old, young].map((asks) => asks.find((ask) => ask.at === at))
    const slot = b ?? a
    if (slot === undefined) return []
    if (a === undefined) return [{ slot, what: `+ ${effectOf(slot)}` }]
    if (b === undefined) return [{ slot, what: `- ${effectOf(slot)}` }]
    const [was, is] = [effectOf(a), effectOf(b)]
    return was === is ? [] : [{ slot, what: `~ ${was} -> ${is}` }]
  })
  return inRuns(changes).map(({ what, slots }) => {
    const [sign, ...effect] = what.split(' ')
    const [first, last] = [slots[0]?.local, slots.at(-1)?.local]
    const when = slots.length === 1 ? first : `${slots.length} slots from ${first} to ${last}`
    return `${sign} ${after.name}: ${when}: ${effect.join(' ')}`
  })
}

const isPeriod = ({ schedule }: PlannedStrategy) => schedule.startsWith('every ')

/** Neighbouring changes of the same kind are one line. */
function inRuns(changes: readonly { readonly slot: PlannedAsk; readonly what: string }[]) {
  const runs: { what: string; slots: PlannedAsk[] }[] = []
  for (const { slot, what } of changes) {
    const last = runs.at(-1)
    if (last?.what === what) last.slots.push(slot)
    else runs.push({ what, slots: [slot] })
  }
  return runs
}

function effectOf({ kind, swaps }: PlannedAsk): string {
  if (swaps.length === 0) return kind === 'unknown' ? 'depends on what is not known' : kind
  return swaps
    .map(({ sell, buy, blockedBy }) => {
      const what = `sells ${shortAmount(sell)} for ${buy}`
      return blockedBy.length === 0 ? what : `${what}, blocked by ${blockedBy.join(' and ')}`
    })
    .join(' and ')
}

function blockLines(before: PlanView, after: PlanView): readonly string[] {
  const keyOf = ({ strategy, rule }: PlanView['blocks'][number]) => `${strategy}: ${rule}`
  const find = (plan: PlanView, key: string) => plan.blocks.find((one) => keyOf(one) === key)
  const keys = [...new Set([...before.blocks, ...after.blocks].map(keyOf))]
  return keys.flatMap((key) => {
    const [old, young] = [find(before, key), find(after, key)]
    if (old === undefined) return [`+ ${key} stands in the way from ${young?.local} on`]
    if (young === undefined) return [`- ${key} no longer stands in the way (from ${old.local})`]
    // One that holds from the beginning of both is no change.
    const isOld = old.at <= before.from && young.at <= after.from
    return isOld || old.at === young.at
      ? []
      : [`~ ${key} stands in the way from ${young.local} on, not from ${old.local}`]
  })
}
