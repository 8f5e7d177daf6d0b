import type { Wish } from './lie.ts'

/** A swap of the drill, with the least it may bring; undefined where nobody states it. */
export type DrillWish = Wish & { readonly floorWei: bigint | undefined }

/** The bot's report of a swap's outcome. Noted, and never believed: {@link judge}. */
export type BotAnswer = {
  /** Undefined: it was never planned. */
  readonly state: string | undefined
  readonly code: string | undefined
  /** The cause of the stop: failed checks, or the code. */
  readonly by: string
  readonly sold: bigint | undefined
  readonly received: bigint | undefined
  /** Reports itself that the balances do not show what the receipt states. */
  readonly doubted: boolean
  /** Ended with a failure that is not one of the bot's own: a crash explains nothing. */
  readonly crashed: boolean
}

/** The bot under test with a journal of its own. */
export type DrillBot = {
  /** Opens, plans one swap and drives it, as `swap --live` does. Returns at its end or on the signal. */
  swap(wish: DrillWish, signal: AbortSignal): Promise<BotAnswer>
  /** Opens again and goes on with what is open. */
  follow(signal: AbortSignal): Promise<BotAnswer>
  /** Signatures it requested from its key. */
  signatures(): number
}

/** Makes a fresh one. `onOpen` is called when it has started and is about to swap. */
export type OpenDrillBot = (at: {
  readonly rpcUrl: string
  readonly serviceUrl: string
  /** `own`: the one of the user's configuration, if any. `given`: always one. Absent: none. */
  readonly witness?: 'own' | 'given'
  readonly onOpen: () => Promise<void>
}) => DrillBot
