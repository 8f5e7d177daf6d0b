import { type Amount, show } from '../../core/amount.ts'
import { display } from '../../core/display.ts'
import { dayMs, hourMs, minuteMs, secondMs } from '../../core/spans.ts'
import { type Disk, fullBytes, lowBytes, mebibytes, pauseByDisk } from '../disk.ts'
import type { Lock } from '../lock.ts'

/** `critical`: a person must act, or money or the bot's life is at stake. `info`: what a person did. */
export type Severity = 'critical' | 'warning' | 'info'

/** One thing that a person must know now. */
export type Attention = {
  readonly kind: 'lock' | 'slot' | 'swap' | 'look' | 'head' | 'gas' | 'disk'
  /** Stable, upper snake case; that of a lock is the lock's own. */
  readonly code: string
  readonly severity: Severity
  /** With the code, the same as long as it is the same thing: a lock's number, a swap's id, a strategy. */
  readonly subject: string
  /** Milliseconds since the epoch. */
  readonly since: number
  readonly sentence: string
  /** The next step of a person. */
  readonly next: string
}

/** What is known of the bot at one instant. Instants are milliseconds since the epoch. */
export type AttentionFacts = {
  readonly now: number
  /** Locks that hold now. */
  readonly locks: readonly Lock[]
  /** Missed and failed slots, with the instant of their record. */
  readonly undone: readonly {
    readonly strategy: string
    readonly slot: number
    readonly upto: number
    readonly slots: number
    readonly state: string
    readonly reason: string
    readonly at: number
  }[]
  /** Swaps that are not decided. */
  readonly swaps: readonly {
    readonly id: string
    readonly strategy: string
    readonly state: string
    readonly createdAt: number
    /** Undefined before a signature. */
    readonly deadline: number | undefined
  }[]
  readonly strategies: readonly {
    readonly name: string
    /** Undefined for a calendar: its missed slots are on record. */
    readonly periodMs: number | undefined
    /** Undefined before the first decision. */
    readonly decidedAt: number | undefined
  }[]
  /** Since when a process could look: its start, or the end of the last lock. Undefined where no process runs. */
  readonly freeSince: number | undefined
  /** The newest block, or why it is not known; undefined where the chain was not looked at. */
  readonly head?: { readonly at: number } | { readonly problem: string } | undefined
  /** The coin the wallet holds, and what a swap's gas costs at the most that policy allows. */
  readonly gas?: { readonly held: Amount; readonly perSwap: Amount } | undefined
  /** The volume of a journal in a file. */
  readonly disk?: Disk | undefined
}

/** A head older than this is a node that does not follow the chain. */
const headAgeMsMax = minuteMs

/** Time after a deadline in which the nonce is closed by a cancellation and the end becomes deep. */
const decidedAfterDeadlineMs = 10 * minuteMs

/** Time from a plan to its signature, approvals included. */
const signedAfterPlanMs = hourMs

/** Missed looks of a period before it counts as stale; at least as long as a swap may take the lane. */
const staleLooks = 3
const staleMsMin = 5 * minuteMs

/** Swaps that the coin in the wallet must be enough for. */
const swapsOfGas = 3n

/** All that a person must know now, the gravest kind first. Empty where there is nothing. */
export function attentionOf(view: AttentionFacts): readonly Attention[] {
  return [
    ...view.locks.map(lockItem),
    ...stuckSwaps(view),
    ...undoneSlots(view),
    ...staleLooksOf(view),
    ...staleHead(view),
    ...lowGas(view),
    ...lowDisk(view),
  ]
}

const iso = (at: number) => new Date(at).toISOString()

/** As it goes out as JSON: the instant as ISO 8601. */
export const attentionText = ({ since, ...item }: Attention) => ({ ...item, since: iso(since) })

/** A disputed swap is among them, as the lock SWAP_DISPUTED. */
export function lockItem({ id, kind, scope, code, reason, openedAt, expiresAt }: Lock): Attention {
  const removed = code === 'BY_FILE' ? 'remove the file, ' : ''
  return {
    kind: 'lock',
    code,
    severity: severityOf({ kind, expiresAt }),
    subject: `lock ${id}`,
    since: openedAt,
    sentence: `A ${kind} of ${scope} holds ${expiresAt === undefined ? 'until it is released' : `until ${iso(expiresAt)}`}: ${display(reason, 1_000)}`,
    next: `Find out why, ${removed}then: ballast resume --reason "…"${id === 0 ? '' : ` ${id}`}`,
  }
}

/** A pause or drain is meant; what ends by itself has time; a halt, and what only a person releases, has none. */
function severityOf({ kind, expiresAt }: Pick<Lock, 'kind' | 'expiresAt'>): Severity {
  if (kind === 'pause' || kind === 'drain') return 'info'
  return kind === 'halt' || expiresAt === undefined ? 'critical' : 'warning'
}

function stuckSwaps({ swaps, now }: AttentionFacts): readonly Attention[] {
  return swaps.flatMap(({ id, strategy, state, createdAt, deadline }) => {
    const due =
      deadline === undefined ? createdAt + signedAfterPlanMs : deadline + decidedAfterDeadlineMs
    if (now <= due) return []
    const why =
      deadline === undefined
        ? `was planned at ${iso(createdAt)}`
        : `had its deadline at ${iso(deadline)}`
    return {
      kind: 'swap',
      code: 'SWAP_STUCK',
      severity: 'critical',
      subject: id,
      since: due,
      sentence: `Swap ${id} of ${strategy} is still ${state} and ${why}.`,
      next: `ballast explain ${id}; it is followed only while a bot runs and its node answers: ballast doctor`,
    }
  })
}

function undoneSlots({ undone, now }: AttentionFacts): readonly Attention[] {
  return undone
    .filter(({ at }) => now - at <= dayMs)
    .map(({ strategy, slot, upto, slots, state, reason, at }) => {
      const [was, code] =
        state === 'failed'
          ? ['failed', 'SLOT_FAILED']
          : [slots === 1 ? 'was missed' : 'were missed', 'SLOT_MISSED']
      const which =
        slots === 1
          ? `the slot of ${iso(slot)}`
          : `${slots} slots from ${iso(slot)} to ${iso(upto)}`
      return {
        kind: 'slot',
        code,
        severity: 'warning',
        subject: `${strategy}@${iso(slot)}`,
        since: at,
        sentence: `${strategy}: ${which} ${was}: ${display(reason, 1_000)}`,
        next: `ballast explain ${strategy}@${iso(slot)}`,
      }
    })
}

/** A strategy that should have decided long ago. Nothing is decided under a lock, on a full disk, or while a swap is under way. */
function staleLooksOf({ strategies, locks, swaps, disk, freeSince, now }: AttentionFacts) {
  if (freeSince === undefined || swaps.length > 0 || pauseByDisk(disk) !== undefined) return []
  return strategies.flatMap(({ name, periodMs, decidedAt = 0 }): readonly Attention[] => {
    const isLocked = locks.some(
      ({ scope }) => scope === 'all' || scope.startsWith('wallet ') || scope === `strategy ${name}`,
    )
    if (periodMs === undefined || isLocked) return []
    const since = Math.max(decidedAt, freeSince) + Math.max(staleLooks * periodMs, staleMsMin)
    if (now <= since) return []
    const last = decidedAt === 0 ? 'never' : iso(decidedAt)
    return [
      {
        kind: 'look',
        code: 'LOOK_STALE',
        severity: 'warning',
        subject: name,
        since,
        sentence: `${name} should decide every ${periodMs / secondMs} s; its last decision: ${last}.`,
        next: 'Look at the log for STALE_MARKET and what is away: ballast doctor',
      },
    ]
  })
}

function staleHead({ head, now }: AttentionFacts): readonly Attention[] {
  if (head === undefined || ('at' in head && now - head.at <= headAgeMsMax)) return []
  const known = 'at' in head
  return [
    {
      kind: 'head',
      code: known ? 'HEAD_STALE' : 'HEAD_UNKNOWN',
      severity: 'warning',
      subject: 'chain',
      since: known ? head.at : now,
      sentence: known
        ? `The chain stands still: the newest block is of ${iso(head.at)}.`
        : head.problem,
      next: 'Look at the node behind chain.rpcUrl: ballast doctor',
    },
  ]
}

function lowGas({ gas, now }: AttentionFacts): readonly Attention[] {
  if (gas === undefined) return []
  const { held, perSwap } = gas
  const least = { token: perSwap.token, wei: perSwap.wei * swapsOfGas }
  if (held.wei >= least.wei) return []
  return [
    {
      kind: 'gas',
      code: 'GAS_LOW',
      severity: 'warning',
      subject: held.token.symbol,
      since: now,
      sentence: `The wallet holds ${show(held)}; the gas of ${swapsOfGas} swaps may cost ${show(least)} at policy.maxGasPrice.`,
      next: `Send ${held.token.symbol} to the wallet, or lower policy.maxGasPrice.`,
    },
  ]
}

function lowDisk({ disk, now }: AttentionFacts): readonly Attention[] {
  if (disk === undefined || disk.freeBytes >= lowBytes) return []
  const full = pauseByDisk(disk)
  const found = { kind: 'disk', subject: disk.folder, since: now } as const
  return [
    full === undefined
      ? {
          ...{ ...found, code: 'DISK_LOW', severity: 'warning' },
          sentence: `${mebibytes(disk.freeBytes)} are free for the journal in ${disk.folder}; below ${mebibytes(lowBytes)} is little.`,
          next: `Make room: below ${mebibytes(fullBytes)} nothing new begins.`,
        }
      : {
          ...{ ...found, code: full.code, severity: 'critical' },
          sentence: `Nothing new begins: ${full.reason}.`,
          next: 'Make room: a full disk ends the bot (JOURNAL_FULL).',
        },
  ]
}

/** The one word for how a bot stands. */
export type RunState = 'RUNNING' | 'PAUSED' | 'STALE' | 'DEAD' | 'NEVER'

type Standing = {
  readonly isRunning: boolean
  /** Whether there is a journal with a decision in it. */
  readonly hasDecided: boolean
  readonly locks: readonly Lock[]
  readonly attention: readonly Attention[]
}

/**
 * NEVER: nothing was ever decided and no process runs. DEAD: no process runs. PAUSED: a lock of everything or of the
 * wallet holds, or the disk is full. STALE: a strategy has not decided for long. RUNNING: none of these.
 */
export function runStateOf({ isRunning, hasDecided, locks, attention }: Standing): RunState {
  if (!isRunning) return hasDecided ? 'DEAD' : 'NEVER'
  if (locks.some(({ scope }) => scope === 'all' || scope.startsWith('wallet '))) return 'PAUSED'
  if (attention.some(({ code }) => code === 'DISK_FULL')) return 'PAUSED'
  return attention.some(({ kind }) => kind === 'look') ? 'STALE' : 'RUNNING'
}
