import type { UnsignedJournal } from '../bot/journal/createUnsigned.ts'
import type { Log } from '../bot/report/createLog.ts'
import type { Config } from '../config/config.ts'
import type { Driver } from './createJournaledWorld.ts'
import type { OpenMarket } from './market.ts'

/** The part of a run that differs between real money and paper. */
export type Backend = {
  readonly mode: 'live' | 'paper'
  readonly market: OpenMarket
  readonly journal: UnsignedJournal
  /** Takes swaps to their end under the rules of a configuration: who began with one ends with it. */
  driverFor(config: Config): Driver
  /**
   * Decides everything that an earlier process left open, before the first look at the market. Throws where a person
   * must look first.
   */
  recover(around: {
    readonly signal: AbortSignal
    readonly onResumed: (swapId: string) => Promise<void>
    readonly log: Log
  }): Promise<void>
  /** Awaited before anything new is planned; what is open need not wait for it. */
  whole(signal: AbortSignal): Promise<void>
  /** Compares books and chain once a day until the signal, by the configuration in force then. */
  compare(until: {
    readonly current: () => Config
    readonly signal: AbortSignal
    readonly log: Log
  }): Promise<void>
  /** The first lines for a person. */
  readonly opening: readonly string[]
  /** The last lines for a person. */
  closing(configFile: string): Promise<readonly string[]>
  close(): Promise<void>
}
