import { randomUUID } from 'node:crypto'
import type { Dossier } from '../../../../src/bot/dossier.ts'
import type { Journal } from '../../../../src/bot/journal/openJournal.ts'
import { readJournal } from '../../../../src/bot/journal/readJournal.ts'
import { contextWith } from '../../../../src/bot/strategy/testing.ts'
import { dayMs, minuteMs } from '../../../../src/core/spans.ts'
import { nativeAddress } from '../../../../src/core/token.ts'
import { explainDecisions } from '../../../../src/story/explainDecisions.ts'
import { explainSwap } from '../../../../src/story/explainSwap.ts'
import { inPages } from '../../../../src/story/inPages.ts'
import { createRandom } from '../../../simulator/random.ts'
import type { Place } from '../../../support/journals.ts'
import { samplePlan, weth } from '../sampleSwap.ts'
import { settleReal } from '../year/realSwap.ts'

export const yearMs = 365 * dayMs
export const begin = Date.UTC(2026, 0, 1)

/** Virtual time: it goes where a test sets it, and every sleep is over at once. */
export function createVirtualClock() {
  let at = begin
  return {
    now: () => at,
    sleep: async () => {},
    set(instant: number) {
      at = instant
    },
  }
}

type VirtualClock = ReturnType<typeof createVirtualClock>

export const createTrader = (journal: Journal, clock: VirtualClock) => {
  const random = createRandom(1)
  return { journal, clock, random, nonce: 0, slots: 0 }
}

export type Trader = ReturnType<typeof createTrader>

/** A year of so many swaps, each with a decision to wait before it; every eighth is refused before a signature. */
export async function tradeYear(trader: Trader, { year, swaps }: { year: number; swaps: number }) {
  const { journal, clock, random } = trader
  for (let index = 0; index < swaps; index += 1) {
    const slot = begin + year * yearMs + Math.floor((index * yearMs) / swaps)
    clock.set(slot)
    await decide(trader, slot, 'wait')
    clock.set(slot + 2 * 60 * minuteMs)
    await decide(trader, slot, 'swap')
    const planned = samplePlan({ swapId: randomUUID(), key: `test:${slot}:0` })
    trader.slots += 1
    if (trader.slots % 8 === 0) await refuse(journal, planned)
    else {
      await settleReal(journal, { planned, nonce: trader.nonce, random })
      trader.nonce += 2
    }
  }
}

async function decide({ journal, clock }: Trader, slot: number, kind: 'wait' | 'swap') {
  const { intent } = samplePlan()
  const context = contextWith({ every: slot }, { now: clock.now(), slot })
  const decision =
    kind === 'wait' ? ({ kind, reason: `not ${slot}` } as const) : { kind, intents: [intent] }
  await journal.decisions.record({ strategy: 'test', slot, at: clock.now(), context, decision })
}

async function refuse({ swaps }: Journal, planned: ReturnType<typeof samplePlan>) {
  await swaps.reserve(planned, () => {})
  const checks = [{ name: 'policy.a', ok: false, expected: '1', actual: planned.swapId }]
  const why = { code: 'POLICY_A', reason: 'so it was' }
  await swaps.close({ swapId: planned.swapId, as: 'REJECTED', ...why, checks })
}

const coin = { native: { ...weth, symbol: 'ETH', address: nativeAddress }, wrapped: weth }
const current = { strategies: [], trouble: undefined }

/** Everything that `explain` tells of every swap and decision, as another process reads it. */
export async function tellAll(
  { database, haltFile }: Pick<Place, 'database' | 'haltFile'>,
  clock: VirtualClock,
  { swaps: every = 1, since }: { swaps?: number; since?: number } = {},
) {
  const journal = await readJournal({ database, haltFile, clock })
  try {
    const told = new Map<string, unknown>()
    let count = 0
    const swaps = inPages(200, (limit, last: Dossier | undefined) =>
      journal.swaps.page({ after: last, limit, since }),
    )
    for await (const swap of swaps) {
      count += 1
      if (count % every !== 0) continue
      const story = await explainSwap(swap, { journal, coin })
      told.set(swap.id, story)
      told.set(`record ${swap.id}`, await journal.swaps.record(swap.id))
      const decisions = await journal.decisions.find({ id: story.decision ?? 0 })
      told.set(
        `decision ${swap.id}`,
        (await explainDecisions(decisions, { journal, current, coin })).decisions,
      )
    }
    return told
  } finally {
    await journal.shut()
  }
}
