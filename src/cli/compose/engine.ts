import type { UnsignedJournal } from '../../bot/journal/createUnsigned.ts'
import type { Log } from '../../bot/report/createLog.ts'
import type { Config } from '../../config/config.ts'
import type { Driver } from './finishOpen.ts'
import type { OpenMarket } from './openMarket.ts'

/** What a run trades with. Everything else about it is the same with real money and on paper. */
export type Engine = {
  readonly mode: 'live' | 'paper'
  readonly market: OpenMarket
  readonly journal: UnsignedJournal
  /** Takes swaps to their end under the rules of a configuration: who began with one ends with it. */
  driverFor(config: Config): Driver
  /** Decides what an earlier process left open, before anything new is looked at. Throws where somebody must look first. */
  recover(around: {
    readonly signal: AbortSignal
    readonly onResumed: (swapId: string) => Promise<void>
    readonly log: Log
  }): Promise<void>
  /** Awaited before anything new is planned; what is open need not wait for it. */
  whole(signal: AbortSignal): Promise<void>
  /** Compares books and chain, again and again until asked to stop. */
  compare(until: { readonly signal: AbortSignal; readonly log: Log }): Promise<void>
  /** What a person is told first, a line each. */
  readonly opening: readonly string[]
  /** What a person is told last. */
  closing(configFile: string): Promise<readonly string[]>
  close(): Promise<void>
}
