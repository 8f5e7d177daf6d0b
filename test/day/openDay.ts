import { DatabaseSync } from 'node:sqlite'
import type { SwapState } from '../../src/bot/state.ts'

type SwapRow = {
  readonly strategy: string
  readonly state: SwapState
  readonly slot: number | null
  readonly code: string | null
  readonly amount_in: string
  readonly sold: string | null
  readonly received: string | null
  readonly sell_token: string
}
type SlotRow = {
  readonly slot: number
  readonly upto: number
  readonly slots: number
  readonly state: string
  readonly reason: string
}

/** What a calendar with slots at whole multiples of a period had to do between two instants. */
type Calendar = {
  readonly strategy: string
  readonly periodMs: number
  /** Smallest units that it may sell in all; undefined where it has no budget. */
  readonly budget: bigint | undefined
}

/** Virtual time that the first start of a bot takes at most. */
const startMsMax = 60_000

/** The journal of a day by its own tables, and not by the bot's code. */
export function openDay(path: string) {
  const db = new DatabaseSync(path, { readOnly: true })
  const swaps = db.prepare('SELECT * FROM swap ORDER BY created_at').all() as SwapRow[]
  const slotsOf = (strategy: string) =>
    db.prepare('SELECT * FROM slot WHERE strategy = ? ORDER BY slot').all(strategy) as SlotRow[]
  const locks = db
    .prepare('SELECT kind, scope, code, reason, expires_at FROM lock WHERE released_at IS NULL')
    .all() as { kind: string; code: string; reason: string }[]
  const settled = (strategy: string) =>
    swaps.filter((swap) => swap.strategy === strategy && swap.state === 'SETTLED')
  const soldBy = (strategy: string) =>
    settled(strategy).reduce((sum, { sold }) => sum + BigInt(sold ?? 0), 0n)

  /** What a strategy wanted to sell since its last swap settled, and was refused for what gas would have cost. */
  const refusedLast = (strategy: string) => {
    const own = swaps.filter((swap) => swap.strategy === strategy)
    return own
      .slice(own.findLastIndex(({ state }) => state === 'SETTLED') + 1)
      .filter(({ code }) => code === 'SIMULATE_GAS_COST')
  }

  return {
    swaps,
    refusedLast,
    locks,
    soldBy,
    settled,
    slotsOf,
    /** The last reasons for which a strategy waited, with their instants. */
    lastWaits: (strategy: string) =>
      db
        .prepare(
          "SELECT at, reason FROM decision WHERE strategy = ? AND kind <> 'swap' ORDER BY id DESC LIMIT 8",
        )
        .all(strategy) as { at: number; reason: string }[],
    states: (strategy: string) =>
      Object.fromEntries(
        Object.entries(Object.groupBy(slotsOf(strategy), ({ state }) => state)).map(
          ([state, rows]) => [state, rows?.reduce((sum, { slots }) => sum + slots, 0)],
        ),
      ),
    /**
     * Every slot between the instants is closed once, and has as many executions as it says. The calendar begins with
     * the bot's first look, some moments after the day: of a slot in between nothing was due.
     */
    calendarBreaks(
      { strategy, periodMs, budget }: Calendar,
      { from, to }: { from: number; to: number },
    ): readonly string[] {
      const rows = slotsOf(strategy)
      const breaks: string[] = []
      const begins = rows[0]?.slots === 0 ? rows[0].slot : from
      if (begins > from + startMsMax)
        breaks.push(`${strategy}: begins ${begins - from} ms after the day`)
      const first = Math.floor(Math.max(from, begins) / periodMs) + 1
      for (let slot = first * periodMs; slot <= to; slot += periodMs) {
        const at = new Date(slot).toISOString()
        const closed = rows.filter((row) => row.slot <= slot && slot <= row.upto)
        if (closed.length !== 1) breaks.push(`${strategy} ${at}: closed ${closed.length} times`)
        const executed = settled(strategy).filter((swap) => swap.slot === slot).length
        const wanted = closed[0]?.state === 'done' ? 1 : 0
        if (executed !== wanted)
          breaks.push(`${strategy} ${at}: ${closed[0]?.state}, executed ${executed} times`)
      }
      if (budget !== undefined && soldBy(strategy) > budget)
        breaks.push(`${strategy}: sold ${soldBy(strategy)}, more than ${budget}`)
      return breaks
    },
    close: () => db.close(),
  }
}
