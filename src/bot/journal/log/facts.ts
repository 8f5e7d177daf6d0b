import { z } from 'zod'
import type { Hex } from '../../../chain/calls/fields.ts'
import type { Check } from '../../../core/check.ts'
import type { Lock } from '../../lock.ts'
import type { Intent, Simulated } from '../../stages.ts'
import type { EndpointAnswer, Verdict } from '../../verdict.ts'

/** The log's part of a receipt. */
type Mined = {
  readonly hash: Hex
  readonly block: number
  readonly blockHash: Hex
  readonly success: boolean
}

type Offered = {
  readonly hash: Hex
  readonly block: number
  readonly verdict: Verdict
  readonly words: string
  /** Where there are more endpoints than one, or private ones: when the bytes were given to whom, and what each said by then. */
  readonly offeredAt?: number
  readonly to?: readonly string[]
  readonly isPrivate?: boolean
  readonly answers?: readonly EndpointAnswer[]
}

/** Signed bytes; `replaces` names those of the same nonce that they outbid. */
type SignedBytes = { readonly hash: Hex; readonly nonce: number; readonly replaces?: Hex }

/** A reorganisation took it back. */
type Undone = { readonly because: string }

/** Amounts in wei as text, as in the columns of the row. */
type Settled = {
  readonly sold: string
  readonly received: string
  readonly gas_used: string
  readonly gas_paid: string
  readonly tip_paid?: string | undefined
  readonly base_paid?: string | undefined
}

type Ended = {
  readonly code: string
  readonly reason: string
  readonly checks?: readonly Check[] | undefined
  readonly gas_used?: string
  readonly gas_paid?: string
  readonly tip_paid?: string | undefined
  readonly base_paid?: string | undefined
} & Partial<Mined>

/** A quote whose answer is lost, as its calldata has it. */
type Recovered = {
  readonly quoteId: string
  readonly authorization: Hex
  readonly deadline: number
  readonly minimum: bigint
  readonly recovered: true
}

type Facts = {
  /** `by` is the person who requested a swap by hand. */
  PLANNED: { readonly reason: string; readonly plan: unknown; readonly by?: string }
  VERIFIED:
    | (Pick<Simulated, 'quoteId' | 'deadline' | 'checks' | 'simulation'> & {
        readonly bodySha256: string
        readonly authorization: Hex
        readonly amountOut: bigint
        readonly minimum: bigint
      })
    | Recovered
  SIGNED: SignedBytes
  OFFERED: Offered
  SENT: Offered | Undone
  /** What endpoints said of an offer after it was written down. */
  ANSWERED: { readonly hash: Hex; readonly answers: readonly EndpointAnswer[] }
  /** Written before any public endpoint gets bytes that were private so far. */
  PUBLISHED: { readonly hash: Hex; readonly afterMs: number; readonly to: readonly string[] }
  INCLUDED: Mined
  CANCELLING: { readonly hash: Hex; readonly replaces: Hex } | Undone
  SETTLED:
    | (Settled & {
        readonly agrees: boolean | undefined
        readonly short: boolean | undefined
        /** The balances differ by no loss, and a token of the swap is declared to round. */
        readonly rounded?: boolean
        /** Where it gave nothing, and a person wrote it off. */
        readonly code?: string
        readonly reason?: string
        readonly by?: string
      })
    | (Settled & {
        readonly approvalGas: bigint
        readonly gasPrice: bigint
        readonly block: number
        readonly paper: true
      })
  /** `by` is the person who wrote it off. */
  REVERTED: Ended & { readonly by?: string }
  EXPIRED_DEAD: Ended
  DISPLACED: Ended
  REJECTED: Ended
  ABANDONED: Ended
  APPROVING: SignedBytes
  /** A permit, by its digest; the nonce is the token's or one of Permit2, in hex. */
  PERMITTED: {
    readonly digest: Hex
    readonly permitNonce?: string
    readonly permit2Nonce?: Hex
    readonly wei: string
    readonly deadline: number
  }
  APPROVED: Mined & Pick<Settled, 'gas_paid' | 'tip_paid' | 'base_paid'>
  APPROVAL_DISPLACED: { readonly hash: Hex }
  LOCK_OPENED: Lock & { readonly by?: string }
  LOCK_RELEASED: Pick<Lock, 'id' | 'kind' | 'scope' | 'code' | 'reason'> & { readonly by?: string }
  /** A person gave a wallet free again, with the nonce that the chain expects. */
  RELEASED: {
    readonly chainId: number
    readonly from?: number
    readonly reason: string
    readonly nonceOfChain: number
  }
  PAID_IN: {
    readonly chainId: number
    readonly token: string
    readonly address: string
    readonly wei: bigint
    readonly block: number
  }
  PAPER_OPENED: {
    readonly token: string
    readonly address: string
    readonly wei: bigint
    readonly origin: 'wallet' | 'given'
  }
  DECIDED: {
    readonly slot: number
    readonly intents: readonly Intent[]
    readonly contextSha256: string
  }
  SLOT_MISSED: Slots
  SLOT_FAILED: Slots
  /** A difference between the books and the chain, known by its key. */
  BROKEN: { readonly key: string } & Readonly<Record<string, unknown>>
  REORGED: Readonly<Record<string, unknown>>
  ARCHIVED: Archived
}

/** Bodies of entries up to a number, and of decisions before an instant, are in this file: the journal may drop them. */
type Archived = {
  readonly upto: number
  /** Of that entry. */
  readonly hash: string
  /** Of all that stays of its own entries: those behind the archive before it. */
  readonly outline: string
  /** Milliseconds since the epoch. */
  readonly before: number
  /** Without its folder. */
  readonly file: string
  readonly sha256: string
  /** Of the wallet's key over `checkpointText`; undefined where no key signs. */
  readonly signature?: Hex | undefined
}

type Slots = {
  readonly slot: number
  readonly upto: number
  readonly slots: number
  readonly reason: string
  readonly calendar: string | null
}

type EventType = keyof Facts

/** Something that happened, as it is written to the log: of which type, and with which facts. */
export type LogEvent<type extends EventType = EventType> = {
  readonly [one in type]: { readonly type: one; readonly facts: Facts[one] }
}[type]

const text = z.string().optional()

const checkText = z.object({
  name: z.string(),
  ok: z.boolean(),
  expected: z.string(),
  actual: z.string(),
})

/** The fields read back of entries. Older entries have less: only the fields read must be there. */
const readers = {
  /** Of bytes that were signed, offered or mined. */
  bytes: z.object({ hash: text, block: z.int().optional(), blockHash: text }),
  approved: z.object({ hash: z.string(), success: z.boolean() }),
  settled: z.object({ sold: z.string(), received: z.string() }),
  /** Of entries that move balances, payments among them. */
  moves: z.object({
    sold: text,
    received: text,
    gas_paid: text,
    hash: text,
    block: z.int().optional(),
    /** Of a payment; older entries are of the one chain that there was. */
    chainId: z.int().optional(),
    address: text,
    wei: text,
  }),
  verified: z.object({ checks: z.array(checkText) }),
  rejected: z.object({
    checks: z.array(z.object({ name: z.string(), ok: z.boolean() })).default([]),
  }),
  lockOpened: z.object({
    id: z.int(),
    kind: z.enum(['pause', 'drain', 'halt', 'breaker']),
    scope: z.string(),
    code: z.string(),
    reason: z.string(),
    openedAt: z.number(),
    expiresAt: z.number().optional(),
  }),
  lockReleased: z.object({ code: z.string(), scope: z.string(), reason: z.string() }),
  walletReleased: z.object({
    /** Older entries do not name it. */
    chainId: z.int().optional(),
    from: z.int().optional(),
    nonceOfChain: z.int(),
    reason: z.string().default(''),
  }),
  // Before a release went by it, an entry did not have the code of its lock.
  broken: z.object({ key: z.string(), lock: z.string().optional() }),
  archived: z.object({
    upto: z.int(),
    hash: z.string(),
    outline: z.string(),
    before: z.int(),
    file: z.string().regex(/^[\w.-]+$/),
    sha256: z.string(),
    signature: z
      .string()
      .transform((signed) => signed as Hex)
      .optional(),
  }),
}

type Readers = typeof readers

/** Reads the facts of an entry from the text of its row. Throws where they are something else. */
export function readFacts<name extends keyof Readers>(
  name: name,
  facts: string,
): z.output<Readers[name]> {
  return readers[name].parse(JSON.parse(facts)) as z.output<Readers[name]>
}
