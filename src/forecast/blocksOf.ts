import type { Config } from '../config/config.ts'
import { show } from '../core/amount.ts'
import { sameToken } from '../core/token.ts'
import type { PlannedBlock } from '../dashboard/planView.ts'
import type { Zone } from './createZone.ts'
import type { Ask, Course, Known } from './forecastTypes.ts'
import type { Block } from './judge.ts'

type Found = { readonly ask: Ask; readonly block: Block; slots: number }

/** For each rule that stands in a strategy's way: since when, how often, and one sentence with its place in the file. */
export function blocksOf(
  course: Course & { readonly zone: Zone },
  { config, known }: { config: Config; known: Known },
): readonly PlannedBlock[] {
  const found = new Map<string, Found>()
  for (const ask of course.asks)
    for (const [rule, block] of rulesOf(ask)) {
      const before = found.get(rule)
      if (before === undefined) found.set(rule, { ask, block, slots: 1 })
      else before.slots += 1
    }
  return [...found.values()].map(({ ask, block, slots }) => ({
    strategy: course.loaded.name,
    rule: block.path?.[0] === 'policy' ? block.path.join('.') : block.rule,
    at: new Date(ask.at).toISOString(),
    local: course.zone.show(ask.at),
    where: block.path === undefined ? null : config.locate(block.path),
    slots: course.loaded.schedule.kind === 'cron' ? slots : null,
    sentence:
      block.rule === 'funds' ? fundsSentence({ course, ask, block, known }) : block.sentence,
  }))
}

/** Each rule once for a slot, however many of its swaps it refuses. */
function rulesOf({ blocks, swaps }: Ask): ReadonlyMap<string, Block> {
  const all = [...blocks, ...swaps.flatMap((swap) => swap.blocks)]
  const first = new Map<string, Block>()
  for (const block of all) if (!first.has(block.rule)) first.set(block.rule, block)
  return first
}

/** What a person wants to know who is to top up the wallet: how far it goes, and which slot is the first without. */
function fundsSentence({
  course: { asks, slots, plannedUntil, loaded },
  ask,
  block,
  known,
}: {
  course: Course
  ask: Ask
  block: Block
  known: Known
}): string {
  if (loaded.schedule.kind !== 'cron') return block.sentence
  const filled = asks.filter(
    (one) => one.at < ask.at && one.swaps.some(({ blocks }) => blocks.length === 0),
  )
  const token = filled[0]?.swaps[0]?.sell.token ?? ask.swaps[0]?.sell.token
  const holds = token && known.balances?.find((balance) => sameToken(balance.token, token))
  const nth = asks.indexOf(ask) + 1
  const of = plannedUntil === undefined ? `${slots}` : `at least ${slots}`
  const enough = `enough for ${filled.length} of ${of} slots, the ${ordinal(nth)} would wait`
  return holds === undefined
    ? `${enough}: ${block.sentence}`
    : `holds ${show(holds)}: ${enough}; ${block.sentence}`
}

function ordinal(count: number): string {
  const teen = count % 100 >= 11 && count % 100 <= 13
  const ending = teen ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th')
  return `${count}${ending}`
}
