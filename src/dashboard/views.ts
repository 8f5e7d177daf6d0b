import type { AmountText } from '../core/amount.ts'

// What the pages show, as plain data: it goes out as JSON as it is.

/** The books in numbers, for display. */
export type FiguresView = {
  /** By final state. */
  readonly swapsEnded: readonly { readonly state: string; readonly count: number }[]
  readonly swapsOpen: number
  /** Calendar slots that are over. */
  readonly slots: readonly { readonly state: string; readonly count: number }[]
  /** Of all transactions. */
  readonly gasPaidWei: bigint
  /** Null for a journal on a server. */
  readonly journalBytes: number | null
  readonly diskFreeBytes: number | null
}

/** A reason why something is not done. Times are ISO 8601. */
export type LockView = {
  readonly id: number
  readonly kind: string
  readonly scope: string
  readonly code: string
  readonly reason: string
  readonly openedAt: string
  /** Null for one that only a person releases. */
  readonly expiresAt: string | null
}

/** One swap: what was wanted, and what really moved. Times are ISO 8601. */
export type SwapView = {
  readonly id: string
  readonly strategy: string
  readonly state: string
  readonly reason: string
  readonly code: string | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly sell: AmountText
  readonly buy: string
  readonly floor: AmountText
  readonly sold: AmountText | null
  readonly received: AmountText | null
  /** Realised price against the indication the decision saw; negative is worse. */
  readonly againstIndicationBps: number | null
  readonly checks: { readonly passed: number; readonly total: number } | null
  readonly gasUsed: string | null
  readonly gasPaidWei: string | null
  readonly txHash: string | null
  readonly block: number | null
}

/** The life of a swap. Times are ISO 8601. */
export type SwapStoryView = {
  readonly steps: readonly { readonly at: string; readonly step: string; readonly text: string }[]
  readonly checks: readonly {
    readonly name: string
    readonly ok: boolean
    readonly expected: string
    readonly actual: string
  }[]
  /** What the sold amount was to bring on the way, in the bought token, in the order of time; what came last. */
  readonly prices: readonly { readonly name: string; readonly amount: AmountText }[]
  /** The least that the calldata allows; null before a quote. */
  readonly minimum: AmountText | null
  /** The filler that the quote names. */
  readonly source: string | null
  readonly attempts: readonly {
    readonly kind: string
    readonly hash: string
    readonly nonce: number
    readonly maxFeeWei: string
    readonly signedAt: string
    readonly verdict: string | null
    readonly answer: string | null
  }[]
}

/** The wallet in its unit of account. Times are ISO 8601. */
export type ValueView = {
  readonly at: string
  /** Its symbol, and its decimals. */
  readonly unit: string
  readonly decimals: number
  /** Null where the worth of one holding is unknown. */
  readonly total: AmountText | null
  /** The worth is null where no independent source gives one. */
  readonly holdings: readonly { readonly held: AmountText; readonly worth: AmountText | null }[]
  /** Oldest first, those with a total. A seeded one was made up for a demonstration, and says so. */
  readonly series: readonly {
    readonly at: string
    readonly total: AmountText
    readonly seeded?: true
  }[]
}

/** One strategy and its last decision; nulls before the first. */
export type StrategyView = {
  readonly name: string
  readonly summary: string
  /** `postpone` leaves a calendar slot open. */
  readonly decision: 'swap' | 'wait' | 'postpone' | null
  readonly reason: string | null
  readonly decidedAt: string | null
  /** The next slot it will be queried for. */
  readonly nextAt: string | null
}

/** One thing that a person must know now. Times are ISO 8601. */
export type AttentionView = {
  readonly kind: string
  /** Stable; that of a lock is the lock's own. */
  readonly code: string
  readonly severity: 'critical' | 'warning' | 'info'
  readonly subject: string
  readonly since: string
  readonly sentence: string
  /** The next step of a person. */
  readonly next: string
}

/** How the process is doing. */
export type Health = {
  /** Whether there is nothing to attend to. */
  readonly ready: boolean
  readonly attention: readonly AttentionView[]
  readonly mode: 'live' | 'paper' | 'dry-run'
  /** Prices come from the embedded market: nothing here is about real money. */
  readonly sandbox: boolean
  readonly chain: string
  readonly chainId: number
  /** Symbol of the chain's own currency. */
  readonly currency: string
  readonly wallet: string
  /** The clocks of the pages, by their IANA name. */
  readonly timeZone: string
  /** Where the chain can be looked at, without a slash at its end; null where none is known. */
  readonly explorer: string | null
  readonly head: { readonly block: number; readonly at: string } | null
  readonly balances: readonly AmountText[]
}

/** What came of swaps: under way, filled, or ended without a fill. */
export type OutcomeName = 'open' | 'settled' | 'unsettled'

/** A limit, and how much of it is used. */
export type LimitView = {
  readonly name: string
  readonly used: AmountText
  readonly most: AmountText
}

/** A weight that a strategy keeps, in bps of the whole. */
export type TargetView = {
  readonly strategy: string
  readonly token: string
  readonly shareBps: number
  /** How far it may be from its share; 0 of a calendar without a band. */
  readonly bandBps: number
  /** Null where something that counts has no price. */
  readonly nowBps: number | null
}

/** A settled swap, and what it cost in all: delay, spread, slippage and gas. Above zero is a cost. */
export type FillView = {
  readonly id: string
  readonly at: string
  readonly strategy: string
  readonly sold: AmountText
  readonly received: AmountText
  /** Null without a middle of independent sources at the decision, or a price of its gas. */
  readonly costBps: number | null
}

/** A price over time, with what it was held to. Rates are whole bought tokens for a whole sold one, to draw with. */
export type PriceChartView = {
  readonly sell: string
  readonly buy: string
  readonly points: readonly RatePoint[]
  /** The middle of the independent sources. */
  readonly references: readonly RatePoint[]
  readonly bounds: readonly { readonly name: string; readonly rate: number }[]
  /** `wish` is a decision to swap. */
  readonly marks: readonly (RatePoint & { readonly kind: 'fill' | 'wish' })[]
}

/** Times are ISO 8601. */
export type RatePoint = { readonly at: string; readonly rate: number }

/** One decision, or several looks that came to the same. */
export type DecisionView = {
  readonly number: number
  readonly at: string
  readonly lastAt: string | null
  readonly looks: number
  readonly decided: string
  readonly reason: string
  /** Why an intent of it became no swap. */
  readonly refused: readonly { readonly code: string; readonly reason: string }[]
}

/** A strategy with all that a person wants to know of it. Times are ISO 8601. */
export type StrategyDetailView = StrategyView & {
  readonly budgets: readonly LimitView[]
  readonly chart: PriceChartView | null
  readonly totals: readonly {
    readonly sold: AmountText
    readonly received: AmountText
    readonly swaps: number
    /** Booked from the chain: they may be another strategy's, and count against its limits. */
    readonly recovered: boolean
  }[]
  /** Newest first. */
  readonly decisions: readonly DecisionView[]
  /** The number that older ones are before; null on the last page. */
  readonly older: number | null
  /** Parameters that it decided under, newest first, as JSON; null where they are in an archive. */
  readonly versions: readonly {
    readonly hash: string
    readonly since: string
    readonly params: string | null
  }[]
  /** Missed and failed slots, newest first. */
  readonly undone: readonly {
    readonly at: string
    readonly slots: number
    readonly state: string
    readonly reason: string
  }[]
}

/** When a breaker locks, and how far it is from there; null where that is no count. */
export type BreakerView = {
  readonly code: string
  readonly locks: string
  readonly stands: string | null
}

export type PastLockView = LockView & {
  /** Null for the bot itself. */
  readonly openedBy: string | null
  readonly releasedBy: string | null
  /** Null where no person let go of it. */
  readonly releasedAt: string | null
  readonly releasedReason: string | null
}

/** A month of one time zone. Dates are `2026-11-24`. */
export type CalendarView = {
  readonly month: string
  readonly timeZone: string
  readonly today: string
  readonly days: readonly CalendarDay[]
  /** Whether slots to come are so many that not all of them were counted. */
  readonly isCut: boolean
}

export type CalendarDay = {
  readonly date: string
  readonly from: string
  /** Settled swaps, and calendar slots by their outcome. */
  readonly strategies: readonly {
    readonly strategy: string
    readonly settled: number
    readonly done: number
    readonly passed: number
    readonly missed: number
    readonly failed: number
    readonly planned: number
  }[]
}

/** What a strategy saw of one market at its last look. */
export type SeenMarketView = {
  readonly strategy: string
  readonly at: string
  readonly sell: AmountText
  readonly brings: AmountText
  readonly price: string
  readonly route: readonly string[]
  readonly reference: string | null
  /** How far the service was from the independent sources, oldest first; below zero it paid less. */
  readonly gaps: readonly { readonly at: string; readonly bps: number }[]
  /** Of the order book, best first. */
  readonly levels: readonly { readonly sell: AmountText; readonly brings: AmountText }[]
}

/** Who filled how well. */
export type FillersView = {
  readonly from: string | null
  readonly makers: readonly {
    readonly maker: string
    readonly offered: number
    readonly taken: number
    readonly filled: number
    readonly declined: number
    readonly faded: number
    readonly overMiddleBps: number | null
  }[]
  readonly execution: readonly {
    readonly strategy: string
    readonly sell: string
    readonly buy: string
    readonly swaps: number
    readonly received: AmountText
    readonly cost: { readonly total: AmountText } | null
    readonly bps: { readonly total: number } | null
  }[]
}

export type IndicationView = {
  readonly at: string
  readonly sell: AmountText
  readonly buy: AmountText
  readonly price: string
  readonly route: readonly string[]
}

/** The log, newest entry first. */
export type AuditView = {
  readonly head: { readonly seq: number; readonly hash: string }
  readonly entries: readonly {
    readonly seq: number
    readonly at: string
    readonly type: string
    /** A swap by its id, or a kind and a name: `lock 3`. */
    readonly of: string
    readonly hash: string
    /** Whether it names the hash of the entry before it; null for the first. */
    readonly follows: boolean | null
  }[]
  readonly older: number | null
  /** The last comparison with the chain that found all in order. */
  readonly reconciled: {
    readonly at: string
    readonly block: number
    readonly seq: number
  } | null
}

/** Months on the clocks of one zone, as `2026-11`, newest first. */
export type MonthsView = {
  readonly timeZone: string
  readonly current: string
  readonly months: readonly string[]
}

/** A month as one file: a whole page with its style, or rows as CSV. */
export type MonthFileView = {
  readonly kind: 'statement' | 'journal' | 'ledger'
  readonly text: string
  /** The text of the style sheet that is in the page. */
  readonly style: string
}
