import type { Rpc, RpcCall, RpcOutcome } from '../../chain/rpc/rpc.ts'
import { BallastError } from '../../core/errors.ts'

/** The lock that a break opens. */
export type BreakLock = 'LEDGER_BROKEN' | 'REORG_BEYOND_DEPTH'

/** One place where the books and the chain, or the books among themselves, contradict each other. */
export type Break = {
  /** The same for as long as the same thing is wrong: what a person accepted is known by it. */
  readonly key: string
  /** Stable, upper snake case. */
  readonly code: string
  readonly facts: Readonly<Record<string, string | number | bigint | boolean | undefined>>
  /** Facts that are amounts, in units of their token for people; the facts have the smallest unit. */
  readonly shown?: Readonly<Record<string, string>>
  /** The command to type next. */
  readonly next: string
  /** Undefined for what a halt would only make worse. */
  readonly lock: BreakLock | undefined
  /** The swap whose recorded end is no longer true. */
  readonly undone?: string
}

/** The result of one of the invariants. Unknown is neither a pass nor a break. */
export type ReconcileCheck = {
  /** `I1` to `I13`. */
  readonly id: string
  readonly says: string
  readonly verdict: 'holds' | 'broken' | 'unknown'
  readonly evidence: string
  readonly breaks: readonly Break[]
  /** Reasons why something stayed undecided. */
  readonly unknown: readonly string[]
  /** Whether all of them stay so: the node has pruned what would tell. */
  readonly isLasting: boolean
  /** Breaks that a person has released, and the reason that was given. */
  readonly accepted: readonly { readonly key: string; readonly reason: string }[]
}

/** Collects what one check finds. */
export type BreakTally = {
  broke(one: Break): void
  unknown(why: string): void
  /** What stays unknown: the node has pruned what would tell. */
  pruned(why: string): void
  conclude(evidence: string): ReconcileCheck
}

/** Named one by one at most; the rest is counted. */
const namedMax = 50

/** An empty {@link BreakTally}. Breaks that were accepted before are listed apart, and break nothing. */
export function createBreakTally(
  { id, says }: Pick<ReconcileCheck, 'id' | 'says'>,
  accepted: ReadonlyMap<string, string>,
): BreakTally {
  const breaks: Break[] = []
  const unknown: string[] = []
  let lasting = 0
  const known: { key: string; reason: string }[] = []
  return {
    broke(one) {
      const reason = accepted.get(one.key)
      if (reason === undefined) breaks.push(one)
      else known.push({ key: one.key, reason })
    },
    unknown: (why) => void unknown.push(why),
    pruned(why) {
      unknown.push(why)
      lasting += 1
    },
    conclude: (evidence) => ({
      id,
      says,
      verdict: breaks.length > 0 ? 'broken' : unknown.length > 0 ? 'unknown' : 'holds',
      evidence,
      breaks,
      unknown: named(unknown),
      isLasting: unknown.length > 0 && lasting === unknown.length,
      accepted: known,
    }),
  }
}

const named = (all: readonly string[]) =>
  all.length <= namedMax
    ? all
    : [...all.slice(0, namedMax), `and ${all.length - namedMax} more of the kind`]

/** Most endpoints take a hundred calls in one exchange; few take more. */
const callsMax = 100

/** Sends any number of queries, a bounded number in each exchange. */
export type AskChain = <result>(
  calls: readonly RpcCall<result>[],
) => Promise<readonly RpcOutcome<result>[]>

/** An endpoint that stays silent does not get the rest: those answers are unknown. */
export function createAsk(rpc: Rpc): AskChain {
  let silent: BallastError | undefined
  return async <result>(calls: readonly RpcCall<result>[]) => {
    const outcomes: RpcOutcome<result>[] = []
    for (let from = 0; from < calls.length; from += callsMax) {
      const some = calls.slice(from, from + callsMax)
      if (silent === undefined)
        try {
          outcomes.push(...((await rpc.batch(some)) as RpcOutcome<result>[]))
          continue
        } catch (error) {
          if (!(error instanceof BallastError) || error.fault !== 'upstream') throw error
          silent = error
        }
      const error = silent
      outcomes.push(...some.map(() => ({ ok: false, error }) as const))
    }
    return outcomes
  }
}
