import type { Log } from '../../bot/report/createLog.ts'
import type { Clock } from '../../core/clock.ts'
import { BallastError } from '../../core/errors.ts'
import { repeatUntil } from '../../core/repeat.ts'
import { secondMs } from '../../core/spans.ts'
import type { Engine } from '../openEngine.ts'
import type { joinFleet, Member } from './members.ts'
import { type Queue, shiftMs, type Taken } from './openQueue.ts'

/** When a wallet is given back: at once, or when what is under way is decided. */
export type Until = { readonly signal: AbortSignal; readonly leave: AbortSignal }

/** How a wallet's turns ended: `drained` by a lock, which a person releases. */
export type WalletEnd = 'stopped' | 'drained'

type Parts = {
  readonly queue: Queue
  readonly member: Awaited<ReturnType<typeof joinFleet>>
  /** The wallets of the fleet now. */
  readonly wallets: () => readonly string[]
  /** Trades a wallet until it is to be given back, and says when it has begun. Throws what ended it. */
  readonly trade: (
    wallet: string,
    until: Until,
    onOpen: (engine: Pick<Engine, 'isHindered'>) => void,
  ) => Promise<WalletEnd>
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

/** Between two looks at the queue, and at the other processes. */
const beatMs = secondMs
/** Between two looks at whether an engine sees its market: each asks its node. */
const sightMs = 15 * secondMs
/** So long a wallet waits for the worker whose share it is. */
const strandedMs = 30 * secondMs
/** The most wallets that are opened at once: each start reads its whole journal and asks its chain. */
const takenMax = 4

type Held = {
  readonly taken: Taken
  readonly since: number
  /** Nobody else traded it: it is beyond the share, until its shift is over. */
  readonly isRescued: boolean
  readonly stop: AbortController
  /** At a quiet moment. */
  readonly leave: AbortController
  /** Not while it waits for its node, its signer or its lease: nobody trades it then. */
  isOpen: boolean
  /** At the last look of its engine: a node that does not answer keeps no beat waiting. */
  isHindered: boolean
}

/**
 * Trades a fair share of the wallets: takes what no process has while there are fewer, and gives back, at a quiet moment,
 * what is more than that. Ends with the signal, when every wallet is given back.
 */
export async function runWorker(parts: Parts): Promise<void> {
  const { queue, member, wallets, clock, log, signal } = parts
  const held = new Map<string, Held>()
  const ending = new Set<Promise<void>>()
  const strandedAmong = createStranded(clock)

  function begin(taken: Taken, isRescued = false): void {
    const [stop, leave] = [new AbortController(), new AbortController()]
    const started = { isRescued, since: clock.now(), isOpen: false, isHindered: false }
    const one: Held = { taken, stop, leave, ...started }
    held.set(taken.wallet, one)
    const ended = tend(parts, one).finally(() => {
      held.delete(taken.wallet)
      ending.delete(ended)
    })
    ending.add(ended)
  }

  async function beat(): Promise<void> {
    const named = wallets()
    const traded = [...held.values()].filter(({ isOpen }) => isOpen)
    const namesOf = (some: readonly Held[]) => some.map(({ taken }) => taken.wallet)
    await member.beat(namesOf(traded), namesOf(traded.filter(({ isHindered }) => isHindered)))
    const workers = (await member.present()).filter(
      ({ role }) => role === 'all' || role === 'worker',
    )
    const share = Math.ceil(named.length / Math.max(1, workers.length))
    const stranded = strandedAmong(named, workers)
    for (const { taken, stop } of held.values())
      if (!stop.signal.aborted && !(await taken.keep())) stop.abort()
    const kept = [...held.values()].filter(
      ({ stop, leave }) => !stop.signal.aborted && !leave.signal.aborted,
    )
    const own = kept.filter(({ isRescued }) => !isRescued)
    for (const one of kept) {
      const isOver = clock.now() - one.since > shiftMs
      const isBeyond = own.indexOf(one) >= share
      if (isOver || isBeyond || !named.includes(one.taken.wallet)) one.leave.abort()
    }
    const shared = [...held.values()].filter(({ isRescued }) => !isRescued).length
    if (shared >= share) return await rescue(stranded)
    for (let more = Math.min(takenMax, share - shared); more > 0; more -= 1) {
      const taken = await queue.take()
      if (taken === undefined) return
      // A job of a wallet that the file does not name any more ends here.
      if (named.includes(taken.wallet) && !held.has(taken.wallet)) begin(taken)
      else await taken.release()
    }
  }

  /** Takes a wallet that is stranded, beyond the share. Whoever holds one that is halted has its job. */
  async function rescue(stranded: ReadonlySet<string>): Promise<void> {
    if ([...stranded].every((wallet) => held.has(wallet))) return
    const taken = await queue.take()
    if (taken === undefined) return
    if (stranded.has(taken.wallet) && !held.has(taken.wallet)) begin(taken, true)
    else await taken.release()
  }

  await repeatUntil(signal, { everyMs: beatMs, clock }, () =>
    // The server is away: what is traded has its lease to go by, and this goes on when the server is back.
    beat().catch((error: unknown) => log.warn({ err: error }, 'the queue is away')),
  )
  for (const { stop } of held.values()) stop.abort()
  await Promise.all(ending)
}

/**
 * Finds the wallets that nobody has traded for long. The worker whose share one is may never open it: its node is blocked,
 * or a key is missing.
 */
function createStranded(clock: Clock) {
  const untradedSince = new Map<string, number>()
  return (named: readonly string[], workers: readonly Member[]): ReadonlySet<string> => {
    const now = clock.now()
    const traded = new Set(workers.flatMap(({ wallets }) => wallets))
    for (const wallet of untradedSince.keys())
      if (traded.has(wallet) || !named.includes(wallet)) untradedSince.delete(wallet)
    for (const wallet of named)
      if (!traded.has(wallet) && !untradedSince.has(wallet)) untradedSince.set(wallet, now)
    return new Set(named.filter((wallet) => now - (untradedSince.get(wallet) ?? now) >= strandedMs))
  }
}

/** Trades a wallet until it is given back. What ends it ends no other wallet. */
async function tend(parts: Parts, one: Held): Promise<void> {
  const { trade, log } = parts
  const { taken, stop, leave } = one
  const { signal } = stop
  const { wallet } = taken
  let end: WalletEnd | 'failed'
  try {
    end = await trade(wallet, { signal, leave: leave.signal }, (engine) => {
      one.isOpen = true
      void watchHindrance(parts, { one, engine })
    })
  } catch (error) {
    end = signal.aborted ? 'stopped' : 'failed'
    const summary = error instanceof BallastError ? error.summary : 'a wallet ended'
    if (end === 'failed' || isOfHalt(error)) log.error({ wallet, err: error }, summary)
  }
  stop.abort()
  // Where the server is away the job is found without its process, and given out.
  await (end === 'stopped' ? taken.release() : taken.postpone()).catch((error: unknown) =>
    log.warn({ wallet, err: error }, 'a wallet could not be given back'),
  )
}

/** A halt, above all one that neither journal nor file took, is told whatever stops the worker meanwhile. */
const isOfHalt = (error: unknown): boolean =>
  error instanceof BallastError && ['HALT_INCOMPLETE', 'LOCKED'].includes(error.code)

/** Looks now and then whether something hinders an engine, as long as its wallet is traded. */
async function watchHindrance(
  { clock }: Parts,
  { one, engine }: { readonly one: Held; readonly engine: Pick<Engine, 'isHindered'> },
): Promise<void> {
  await repeatUntil(one.stop.signal, { everyMs: sightMs, clock }, async () => {
    one.isHindered = await engine.isHindered().catch(() => true)
  })
}
