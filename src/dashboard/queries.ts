import type { PlanView } from './planView.ts'
import type {
  AuditView,
  BreakerView,
  CalendarView,
  FiguresView,
  FillersView,
  FillView,
  IndicationView,
  LimitView,
  LockView,
  MonthFileView,
  MonthsView,
  OutcomeName,
  PastLockView,
  SeenMarketView,
  StrategyDetailView,
  StrategyView,
  SwapStoryView,
  SwapView,
  TargetView,
  ValueView,
} from './views.ts'

/** The pages' queries to the journal. Plain data: it goes out as JSON as it is. */
export type Queries = {
  /** Newest first; `before` is the id of the last swap of the page before. */
  swaps(page: {
    readonly limit: number
    readonly before?: string | undefined
    readonly strategy?: string | undefined
    readonly outcome?: OutcomeName | undefined
  }): Promise<readonly SwapView[]>
  swap(id: string): Promise<SwapView | undefined>
  /** What happened to a swap, by the log; undefined for none of this id. */
  story(id: string): Promise<SwapStoryView | undefined>
  /** The firm quote of a swap as the service sent it, as JSON; undefined where there is none. */
  quote(id: string): Promise<string | undefined>
  /** What the wallet holds and was worth since an instant; null before the first valuation. */
  value(since: number): Promise<ValueView | null>
  /** The number of the newest entry of the log: as long as it stands, so do the books. */
  newest(): Promise<number>
  strategies(): Promise<readonly StrategyView[]>
  /** One strategy, and its decisions before a number; undefined where none of that name runs. */
  strategy(name: string, before: number | undefined): Promise<StrategyDetailView | undefined>
  /** What the limits over time have been used for. */
  limits(): Promise<readonly LimitView[]>
  /** The weights that strategies keep, as of now. */
  targets(): Promise<readonly TargetView[]>
  /** The newest fills with what they cost in all, newest first. */
  fills(limit: number): Promise<readonly FillView[]>
  breakers(): Promise<readonly BreakerView[]>
  /** Locks that are or were, newest first. */
  pastLocks(): Promise<readonly PastLockView[]>
  /** A month as `2026-11`; undefined for the one of now. */
  calendar(month: string | undefined): Promise<CalendarView>
  markets(): Promise<readonly SeenMarketView[]>
  /** How well a week's swaps were filled, as of some minutes ago at most. */
  fillers(): Promise<FillersView>
  /** A price for an amount such as `1 WETH`, in a token by its symbol. Nothing follows from it. */
  indication(asked: { readonly sell: string; readonly buy: string }): Promise<IndicationView>
  /** Months that there can be a statement of, newest first. */
  months(): Promise<MonthsView>
  /** A month as a document. Throws where it cannot be made. */
  monthFile(month: string, kind: MonthFileView['kind']): Promise<MonthFileView>
  /** The log before an entry; from its end where that is undefined. */
  audit(before: number | undefined): Promise<AuditView>
  /** Locks that hold now, oldest first. */
  locks(): Promise<readonly LockView[]>
  /** The schedules' actions in a number of milliseconds, as of a minute ago at most. */
  plan(spanMs: number): Promise<PlanView>
  /** The next slots of every strategy, as far as a page shows them; null while the first plan is made. */
  coming(): Promise<PlanView | null>
  /** The books in numbers, as of a minute ago at most. */
  figures(): Promise<FiguresView>
}
