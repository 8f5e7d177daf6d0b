import { type Amount, type AmountText, show } from '../../core/amount.ts'
import { display } from '../../core/display.ts'
import { headAgeMsMax } from '../../core/headAgeMsMax.ts'
import { isoText } from '../../core/isoText.ts'
import { dayMs, hourMs, minuteMs, secondMs } from '../../core/spans.ts'
import type { Address } from '../../core/token.ts'
import { type Disk, fullBytes, lowBytes, mebibytes, pauseByDisk } from '../disk.ts'
import type { Lock } from '../lock.ts'
import type { Silence } from '../stages.ts'

/** `critical`: a person must act, or money or the bot's life is at stake. `info`: what a person did. */
export type Severity = 'critical' | 'warning' | 'info'

/** One thing that a person must know now. */
export type Attention = {
  readonly kind:
    | 'lock'
    | 'slot'
    | 'swap'
    | 'look'
    | 'wish'
    | 'head'
    | 'gas'
    | 'disk'
    | 'archive'
    | 'alert'
    | 'config'
    | 'books'
    | 'allowance'
    | 'reference'
    | 'token'
  /** Stable, upper snake case; that of a lock is the lock's own. */
  readonly code: string
  readonly severity: Severity
  /** With the code, the same as long as it is the same thing: a lock's number or scope, a swap's id, a strategy. */
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
    /** Undefined for a calendar. */
    readonly periodMs: number | undefined
    /** The slot of a calendar that is due and not closed, when it is due, and until when it may be decided. */
    readonly owed?:
      | { readonly slot: number; readonly due: number; readonly until: number }
      | undefined
    /** Undefined before the first decision. */
    readonly decidedAt: number | undefined
    /** Its next slot by the schedule. */
    readonly nextAt: number
    /** When the last lock that kept it from deciding ended; undefined where none did. */
    readonly freeSince?: number | undefined
    /** Why its last look came to nothing; undefined where it did not, or where only the process knows. */
    readonly trouble?: string | undefined
    /** Since when it has wanted to swap, or put it off, at every look while nothing settled, and the last reason. */
    readonly wish?:
      | { readonly since: number; readonly code: string | undefined; readonly refusal: string }
      | undefined
  }[]
  /** Of the policy; 0 where it is left out. */
  readonly cooldownMs?: number | undefined
  /** Since when a process runs; undefined where none does. */
  readonly runningSince: number | undefined
  /** The newest block, or why it is not known; undefined where the chain was not looked at. */
  readonly head?:
    | { readonly at: number; readonly blockTimeMs: number }
    | { readonly problem: string }
    | undefined
  /** The coin the wallet holds, and what a swap's gas costs at the most that policy allows. */
  readonly gas?: { readonly held: Amount; readonly perSwap: Amount } | undefined
  /** The volume of a journal in a file. */
  readonly disk?: Disk | undefined
  /** How long the journal keeps bodies, and when the oldest that it still has was written. */
  readonly archive?: { readonly retentionMs: number; readonly oldestAt: number } | undefined
  /** When the books were last compared with the chain and found in order; undefined where books are not compared. */
  readonly proven?: { readonly at: number | undefined } | undefined
  /** Allowances that no swap under way is going to use, and that `policy.allowances` does not let stand. */
  readonly allowances?: readonly {
    readonly amount: AmountText
    readonly spender: Address
    /** Since when. */
    readonly at: number
  }[]
  /** By channel of alerts: when the oldest event was that it refused and has not taken since, and how often it refused. */
  readonly undelivered?: readonly {
    readonly channel: string
    readonly at: number
    readonly tries: number
  }[]
  /** References without a price at their last readings, where this process knows. */
  readonly silences?: readonly Silence[]
  /** Tokens without a balance when the wallet was last valued, where this process knows. */
  readonly unread?: readonly Silence[]
  /** Why the configuration is not in force as its file says it, where this process knows. */
  readonly refused?:
    | {
        readonly since: number
        readonly problem: { readonly code: string; readonly summary: string }
      }
    | undefined
}

/** A head older than this is a node that does not follow the chain; a slow chain takes longer between two blocks. */
const staleHeadMs = (blockTimeMs: number) => Math.max(minuteMs, headAgeMsMax(blockTimeMs))

/** Time after a deadline in which the nonce is closed by a cancellation and the end becomes deep. */
const decidedAfterDeadlineMs = 10 * minuteMs

/** Time from a plan to its signature, approvals included. */
const signedAfterPlanMs = hourMs

/** Missed looks of a period before it counts as stale; at least as long as a swap may take the lane. */
const staleLooks = 3
const staleMsMin = 5 * minuteMs

/**
 * Limits of the policy that time lifts, a day or the cooldown: one that others, or swaps that come to nothing, use up again
 * and again does not pass.
 */
const limitOfTime = /^(?:POLICY_(?:COOLDOWN|PER_DAY|NOTIONAL_PER_(?:HOUR|DAY))|TREASURY_LIMIT)$/

const limitMsMax = dayMs + hourMs

/** How long a strategy may want to swap in vain. */
const wishMsMax = hourMs

/** Swaps that the coin in the wallet must be enough for. */
const swapsOfGas = 3n

/** All that a person must know now, the gravest kind first. Empty where there is nothing. */
export function attentionOf(view: AttentionFacts): readonly Attention[] {
  return [
    ...view.locks.map(lockItem),
    ...stuckSwaps(view),
    ...undoneSlots(view),
    ...staleLooksOf(view),
    ...openWishes(view),
    ...staleHead(view),
    ...lowGas(view),
    ...lowDisk(view),
    ...overdueArchive(view),
    ...refusingChannels(view),
    ...refusedConfig(view),
    ...unprovenBooks(view),
    ...leftAllowances(view),
    ...silentReferences(view),
    ...unreadTokens(view),
  ]
}

/** As it goes out as JSON: the instant as ISO 8601. */
export const attentionText = ({ since, ...item }: Attention) => ({ ...item, since: isoText(since) })

/** A disputed swap is among them, as the lock SWAP_DISPUTED. */
export function lockItem({ id, kind, scope, code, reason, openedAt, expiresAt }: Lock): Attention {
  const removed = code === 'BY_FILE' ? 'remove the file, ' : ''
  const passes = kind === 'breaker' && expiresAt !== undefined
  return {
    kind: 'lock',
    code,
    severity: severityOf({ kind, expiresAt }),
    // A breaker that ends by itself opens again, under another number, for as long as its cause lasts.
    subject: passes ? `${kind} of ${scope}` : `lock ${id}`,
    since: openedAt,
    sentence: `A ${kind} of ${scope} holds ${expiresAt === undefined ? 'until it is released' : `until ${isoText(expiresAt)}`}: ${display(reason, 1_000)}`,
    next: passes
      ? 'Find out why; it ends by itself, and opens again while its cause lasts. Before that: ballast status, then ballast resume --reason "…" and its number'
      : `Find out why, ${removed}then: ballast resume --reason "…"${id === 0 ? '' : ` ${id}`}`,
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
        ? `was planned at ${isoText(createdAt)}`
        : `had its deadline at ${isoText(deadline)}`
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

function undoneSlots({ undone, strategies, now }: AttentionFacts): readonly Attention[] {
  return undone
    .filter(({ at }) => now - at <= dayMs)
    .map(({ strategy, slot, upto, slots, state, reason, at }) => {
      const [was, code] =
        state === 'failed'
          ? ['failed', 'SLOT_FAILED']
          : [slots === 1 ? 'was missed' : 'were missed', 'SLOT_MISSED']
      const which =
        slots === 1
          ? `the slot of ${isoText(slot)}`
          : `${slots} slots from ${isoText(slot)} to ${isoText(upto)}`
      const nextAt = strategies.find(({ name }) => name === strategy)?.nextAt
      const again = nextAt === undefined ? '' : ` Its next slot: ${isoText(nextAt)}.`
      const why = display(reason, 1_000).replace(/\.$/, '')
      return {
        kind: 'slot',
        code,
        severity: 'warning',
        subject: `${strategy}@${isoText(slot)}`,
        since: at,
        sentence: `${strategy}: ${which} ${was}: ${why}.${again}`,
        next: `ballast explain ${strategy}@${isoText(slot)}`,
      }
    })
}

type StrategyFacts = AttentionFacts['strategies'][number]

/** Locks that keep a strategy from deciding. */
const locksOn = ({ locks }: AttentionFacts, name: string) =>
  locks.filter(
    ({ scope }) => scope === 'all' || scope.startsWith('wallet ') || scope === `strategy ${name}`,
  )

/**
 * A strategy that should have decided long ago. Nothing is decided under a lock, on a full disk, or while a swap is under
 * way.
 */
function staleLooksOf(view: AttentionFacts): readonly Attention[] {
  const { strategies, swaps, disk, runningSince, now } = view
  if (runningSince === undefined || swaps.length > 0 || pauseByDisk(disk) !== undefined) return []
  return strategies.flatMap((one): readonly Attention[] => {
    const { name, decidedAt = 0, trouble } = one
    const late = lateLook(one, Math.max(runningSince, one.freeSince ?? 0))
    if (late === undefined || now <= late.since || locksOn(view, name).length > 0) return []
    const last = decidedAt === 0 ? 'never' : isoText(decidedAt)
    const why = trouble === undefined ? '' : ` Its last look failed: ${display(trouble, 1_000)}`
    return [
      {
        kind: 'look',
        code: 'LOOK_STALE',
        severity: 'warning',
        subject: name,
        since: late.since,
        sentence: `${name} ${late.duty}; its last decision: ${last}.${why} ${late.again}`,
        next: 'Look at the log for STALE_MARKET and what is away: ballast doctor',
      },
    ]
  })
}

/** Since when a look is late, and what is due; undefined for a calendar that owes nothing. */
function lateLook(
  { periodMs, owed, decidedAt = 0, nextAt }: StrategyFacts,
  freeSince: number,
): { readonly since: number; readonly duty: string; readonly again: string } | undefined {
  if (periodMs !== undefined) {
    const staleMs = Math.max(staleLooks * periodMs, staleMsMin)
    // What was opened anew, or was locked for a while, has its chance at the first slot since: it is late by the old count.
    const first = nextAt - Math.floor((nextAt - freeSince) / periodMs) * periodMs
    return {
      since:
        decidedAt === 0 ? freeSince + staleMs : Math.max(decidedAt + staleMs, first + staleMsMin),
      duty: `should decide every ${periodMs / secondMs} s`,
      again: `It decides again at ${isoText(nextAt)}.`,
    }
  }
  if (owed === undefined || decidedAt >= owed.due) return undefined
  return {
    since: Math.max(owed.due, freeSince) + staleMsMin,
    duty: `should have decided on its slot of ${isoText(owed.slot)}`,
    again: `It may decide until ${isoText(owed.until)}, then the slot is missed.`,
  }
}

/**
 * A strategy that has wanted to swap for long, while nothing came of it: a band left open, a price not taken. A lock that a
 * person releases explains itself; one that ends is part of the reason. A calendar is named once its slot is over, and no
 * longer as a slot.
 */
function openWishes(view: AttentionFacts): readonly Attention[] {
  const { strategies, undone, cooldownMs = 0, now } = view
  return strategies.flatMap(({ name, periodMs = 0, owed, wish, nextAt }): readonly Attention[] => {
    const held = locksOn(view, name)
    const isTold = undone.some(({ strategy, at }) => strategy === name && now - at <= dayMs)
    if (wish === undefined || owed !== undefined || isTold) return []
    const patienceMs = wish.code === 'POLICY_COOLDOWN' ? cooldownMs + limitMsMax : limitMsMax
    if (limitOfTime.test(wish.code ?? '') && now - wish.since <= patienceMs) return []
    if (held.some(({ expiresAt }) => expiresAt === undefined)) return []
    const since = wish.since + Math.max(staleLooks * periodMs, wishMsMax)
    if (now <= since) return []
    const ends = held.map(({ expiresAt = 0 }) => expiresAt)
    const locked = held.map(
      ({ kind, code }, index) => ` A ${kind} holds until ${isoText(ends[index] ?? 0)} (${code}).`,
    )
    return [
      {
        kind: 'wish',
        code: 'SWAP_UNDONE',
        severity: 'warning',
        subject: name,
        since,
        sentence: `${name} has ${wish.code === undefined ? 'put off its decision' : 'wanted to swap'} since ${isoText(wish.since)}, and nothing settled: ${display(wish.refusal, 1_000)}${locked.join('')} It decides again at ${isoText(Math.max(nextAt, ...ends))}.`,
        next: `ballast explain ${name}`,
      },
    ]
  })
}

function staleHead({ head, now }: AttentionFacts): readonly Attention[] {
  if (head === undefined || ('at' in head && now - head.at <= staleHeadMs(head.blockTimeMs)))
    return []
  const known = 'at' in head
  return [
    {
      kind: 'head',
      code: known ? 'HEAD_STALE' : 'HEAD_UNKNOWN',
      severity: 'warning',
      subject: 'chain',
      since: known ? head.at : now,
      sentence: known
        ? `The chain stands still: the newest block is of ${isoText(head.at)}.`
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

/** The age of the oldest body at which an archive is made: each takes a quarter of the retention at once, 90 days at most. */
export const archiveDueMs = (retentionMs: number) =>
  retentionMs + Math.min(Math.floor(retentionMs / 4), 90 * dayMs)

/** A bot tries at its start and once a day. */
const archiveLateMs = 2 * dayMs

function overdueArchive({ archive, now }: AttentionFacts): readonly Attention[] {
  if (archive === undefined) return []
  const { retentionMs, oldestAt } = archive
  const due = oldestAt + archiveDueMs(retentionMs)
  if (now <= due + archiveLateMs) return []
  return [
    {
      kind: 'archive',
      code: 'ARCHIVE_OVERDUE',
      severity: 'warning',
      subject: 'journal',
      since: due,
      sentence: `The journal still has bodies of ${isoText(oldestAt)}, older than journal.retention: no archive took them.`,
      next: 'ballast archive makes it, or says why not',
    },
  ]
}

/** Time for a receiver to come back after a restart of its own. */
const undeliveredMsMax = 15 * minuteMs

/** As many refusals take longer than that: a single one of an event that waited for the morning, or for a start, is no sign. */
const refusalsMin = 8

function refusingChannels({ undelivered = [], now }: AttentionFacts): readonly Attention[] {
  return undelivered
    .map((one) => ({ ...one, since: one.at + undeliveredMsMax }))
    .filter(({ since, tries }) => now > since && tries >= refusalsMin)
    .map(({ channel, at, tries, since }) => ({
      kind: 'alert',
      code: 'ALERTS_UNDELIVERED',
      severity: 'warning',
      subject: channel,
      since,
      sentence: `The alert channel ${channel} has refused ${tries} times what waits for it since ${isoText(at)}.`,
      next: `Look at the log for its answers ("no alert"), then check the address and the secret of ${channel}.`,
    }))
}

function refusedConfig({ refused }: AttentionFacts): readonly Attention[] {
  if (refused === undefined) return []
  return [
    {
      kind: 'config',
      code: 'CONFIG_REFUSED',
      severity: 'warning',
      subject: refused.problem.code,
      since: refused.since,
      sentence: `The bot runs by its last good configuration, not by what the file says now: ${display(refused.problem.summary, 1_000)}`,
      next: 'ballast config check; correct the file, or restart the bot where that is what it takes.',
    },
  ]
}

/** Books are compared at a start and once a day. */
const unprovenMsMax = 3 * dayMs

/** A start compares them before it trades, and behind what it finds under way. */
const comparedAtStartMs = hourMs

function unprovenBooks({ proven, runningSince, now }: AttentionFacts): readonly Attention[] {
  if (proven === undefined || runningSince === undefined) return []
  const { at } = proven
  const since = Math.max(
    (at ?? runningSince) + unprovenMsMax,
    runningSince + (at === undefined ? 0 : comparedAtStartMs),
  )
  if (now <= since) return []
  return [
    {
      kind: 'books',
      code: 'BOOKS_UNPROVEN',
      severity: 'warning',
      subject: 'journal',
      since,
      sentence:
        at === undefined
          ? 'The books have never been found in order: a comparison with the chain breaks, or has no answer.'
          : `The books were last found in order at ${isoText(at)}: since then each comparison with the chain breaks, or has no answer.`,
      next: 'ballast reconcile shows which, and what follows',
    },
  ]
}

/** An approval whose swap was refused is used up by the next one; by then it has had its chance. */
const leftMsMax = dayMs

function leftAllowances({ allowances = [], now }: AttentionFacts): readonly Attention[] {
  return allowances
    .map((one) => ({ ...one, since: one.at + leftMsMax }))
    .filter(({ since }) => now > since)
    .map(({ amount: { text, token }, spender, since }) => ({
      kind: 'allowance',
      code: 'ALLOWANCE_LEFT',
      severity: 'warning',
      subject: `${token} of ${spender}`,
      since,
      sentence: `${spender} may still take ${text} ${token} from the wallet, and no swap is going to use it.`,
      next: 'Stop the bot, then: ballast revoke --live',
    }))
}

/** The one word for how a bot stands. */
export type RunState = 'RUNNING' | 'PAUSED' | 'STALE' | 'DEAD' | 'NEVER' | 'UNKNOWN'

type Standing = {
  /** Undefined where that cannot be told. */
  readonly isRunning: boolean | undefined
  /** Whether there is a journal with a decision in it. */
  readonly hasDecided: boolean
  readonly locks: readonly Lock[]
  readonly attention: readonly Attention[]
}

/**
 * NEVER: nothing was ever decided and no process runs. DEAD: no process runs. PAUSED: a lock of everything or of the
 * wallet holds, or the disk is full. STALE: a strategy has not decided for long. UNKNOWN: it cannot be told whether one runs.
 * RUNNING: none of these.
 */
export function runStateOf({ isRunning, hasDecided, locks, attention }: Standing): RunState {
  if (isRunning === undefined) return 'UNKNOWN'
  if (!isRunning) return hasDecided ? 'DEAD' : 'NEVER'
  if (locks.some(({ scope }) => scope === 'all' || scope.startsWith('wallet '))) return 'PAUSED'
  if (attention.some(({ code }) => code === 'DISK_FULL')) return 'PAUSED'
  return attention.some(({ kind }) => kind === 'look') ? 'STALE' : 'RUNNING'
}

/** A source may be away for a while; the others price meanwhile. One that is not read any more is not known to be silent. */
const silentMsMax = hourMs

/** Sources that give the same reason are one item: where a witness is away, each price of the chain is. */
function silentReferences({ silences = [], now }: AttentionFacts): readonly Attention[] {
  const lasting = silences.filter(
    ({ since, until }) => until - since > silentMsMax && now - until <= silentMsMax,
  )
  const reasons = Map.groupBy(lasting, ({ reason }) => reason)
  return [...reasons].map(([reason, alike]) => {
    const since = Math.min(...alike.map((one) => one.since))
    const sources = alike.map(({ source }) => source)
    const [subject = ''] = sources
    const rest = sources.length === 1 ? '' : ` and ${sources.length - 1} more references`
    return {
      kind: 'reference',
      code: 'REFERENCE_SILENT',
      severity: 'warning',
      subject,
      since,
      sentence: `No price has come since ${isoText(since)} from ${subject}${rest}: ${display(reason, 1_000)}`,
      next: 'ballast doctor shows each reference, and the nodes behind them',
    }
  })
}

/** The wallet is valued every five minutes: a token that told no balance twice is out of order. */
const unreadMsMin = 4 * minuteMs

function unreadTokens({ unread = [], now }: AttentionFacts): readonly Attention[] {
  return unread
    .filter(({ since, until }) => until - since >= unreadMsMin && now - until <= silentMsMax)
    .map(({ source, reason, since }) => ({
      kind: 'token',
      code: 'TOKEN_UNREADABLE',
      severity: 'warning',
      subject: source,
      since,
      sentence: `${source} has told no balance since ${isoText(since)}: ${display(reason, 1_000)}. Strategies that name it do not decide, a fall of its balance is not seen, and the wallet is not valued.`,
      next: `If that lasts, take ${source} out of ballast.yaml: strategies, policy and tokens. ballast doctor shows it`,
    }))
}
