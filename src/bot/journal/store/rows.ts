import type { Selectable } from 'kysely'
import { z } from 'zod'
import type { Hex } from '../../../chain/calls/fields.ts'
import type { Amount } from '../../../core/amount.ts'
import { compactJson } from '../../../core/json.ts'
import type { Address, Token } from '../../../core/token.ts'
import type { AttemptRecord } from '../../record.ts'
import type { Transaction } from '../../stages.ts'
import { isFinal } from '../../state.ts'
import { packed } from './packed.ts'
import type { AttemptTable, SwapTable } from './tables.ts'
import { readPlan } from './text.ts'

/** The columns' value where a quote's answer and simulation are lost: its swap was booked from the chain. */
export const lostEvidence = '{}'

/** The checks' value where they are in the log, in the swap's entry VERIFIED; older rows have them all. */
export const inLog = ''

/** The column's value for a foreign router, which consumes nothing that could be looked up. */
export const noAuthorization = '0x'

export const readAuthorization = (column: string | null): Hex | undefined =>
  column === null || column === noAuthorization ? undefined : (column as Hex)

export const amountIn = (token: Token, wei: string): Amount => ({ token, wei: BigInt(wei) })

/** A swap's row as values. The one place that reads its columns. */
export function readSwap(row: Selectable<SwapTable>) {
  const plan = readPlan(row.plan)
  const { sell, buy } = plan.intent
  return {
    id: row.id,
    strategy: row.strategy,
    state: row.state,
    code: row.code ?? undefined,
    reason: row.reason ?? undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    signedAt: row.signed_at ?? undefined,
    plan,
    nonce: row.nonce ?? undefined,
    /** Unix seconds. */
    deadline: row.deadline ?? undefined,
    included:
      row.included_hash === null || row.included_block === null
        ? undefined
        : {
            transaction: row.included_hash as Hex,
            number: row.included_block,
            hash: (row.included_block_hash ?? undefined) as Hex | undefined,
          },
    moved:
      row.sold === null || row.received === null
        ? undefined
        : { sold: amountIn(sell.token, row.sold), received: amountIn(buy, row.received) },
    gasUsed: row.gas_used === null ? undefined : BigInt(row.gas_used),
    gasPaid: row.gas_paid === null ? undefined : BigInt(row.gas_paid),
    tipPaid: row.tip_paid === null ? undefined : BigInt(row.tip_paid),
    basePaid: row.base_paid === null ? undefined : BigInt(row.base_paid),
    agrees: row.agrees === null ? undefined : row.agrees === 1,
  }
}

/** Calldata in the JSON of a transaction that its signed bytes have as well: where it is in them. */
const inBytes = /^bytes (\d+) to (\d+)$/

/** Shorter calldata stays: that of an approval is read without its bytes. */
const calldataMin = 512

/** The columns of signed bytes. Long calldata is in both, so the transaction only names its place in them. */
export function bytesColumns({ raw, transaction }: { raw: Hex; transaction: Transaction }) {
  const calldata = transaction.data.slice(2)
  const from = raw.indexOf(calldata)
  const place = `bytes ${from} to ${from + calldata.length}`
  const data = from < 0 || calldata.length < calldataMin ? transaction.data : place
  return { raw: packed(raw), transaction: packed(compactJson({ ...transaction, data })) }
}

const bigText = z.string().regex(/^\d+$/).transform(BigInt)
const transactionText = z.object({
  to: z.string().transform((text) => text as Address),
  data: z.string(),
  value: bigText,
  gas: bigText,
  maxFeePerGas: bigText,
  maxPriorityFeePerGas: bigText,
  chainId: z.int(),
  nonce: z.int(),
})

/** The transaction of signed bytes, from their columns. */
export function storedTransaction(row: {
  readonly raw: string
  readonly transaction: string
}): Transaction {
  const { data, ...fields } = transactionText.parse(JSON.parse(row.transaction))
  const [, from, to] = inBytes.exec(data) ?? []
  const calldata = from === undefined ? data : `0x${row.raw.slice(Number(from), Number(to))}`
  return { ...fields, data: calldata as Hex }
}

const feesText = z.object({ maxFeePerGas: z.string(), maxPriorityFeePerGas: z.string() })

/** Signed bytes as people see them. */
export function attemptRecord(row: Selectable<AttemptTable>): AttemptRecord {
  const { kind, hash, nonce, replaces, transaction, created_at, verdict, answer } = row
  const { maxFeePerGas, maxPriorityFeePerGas } = feesText.parse(JSON.parse(transaction))
  return {
    kind,
    hash,
    nonce,
    replaces,
    maxFeeWei: maxFeePerGas,
    tipWei: maxPriorityFeePerGas,
    signedAt: new Date(created_at).toISOString(),
    sentAtBlock: row.sent_at_block,
    publishedAt: row.published_at === null ? null : new Date(row.published_at).toISOString(),
    verdict,
    answer,
  }
}

/**
 * Signed bytes that are a cost of a swap's execution. What takes back an allowance that it left is in its name too, and signed
 * after its end; a bid is as old as the first for its nonce.
 */
export const attemptsOfExecution = <
  bytes extends Pick<Selectable<AttemptTable>, 'nonce' | 'created_at'>,
>(
  { state, updatedAt }: Pick<ReturnType<typeof readSwap>, 'state' | 'updatedAt'>,
  attempts: readonly bytes[],
): readonly bytes[] =>
  attempts.filter(
    ({ nonce }) =>
      !isFinal(state) || attempts.some((one) => one.nonce === nonce && one.created_at <= updatedAt),
  )

/** Gas of a swap's own transaction and of its approvals; undefined where nothing of it was mined. */
export function gasPaidInAll(
  own: bigint | undefined,
  attempts: readonly Pick<Selectable<AttemptTable>, 'gas_paid'>[],
): bigint | undefined {
  const paid = attempts.flatMap(({ gas_paid }) => (gas_paid === null ? [] : [BigInt(gas_paid)]))
  return own === undefined && paid.length === 0
    ? undefined
    : paid.reduce((sum, wei) => sum + wei, own ?? 0n)
}

/** The tips in it; undefined where one is unknown, as in rows older than the column. */
export const tipPaidInAll = ({ gasPaid, tipPaid }: OwnGas, attempts: readonly Paid[]) =>
  partInAll('tip_paid', { gasPaid, part: tipPaid }, attempts)

/** The base fees in it; undefined likewise. */
export const basePaidInAll = ({ gasPaid, basePaid }: OwnGas, attempts: readonly Paid[]) =>
  partInAll('base_paid', { gasPaid, part: basePaid }, attempts)

type OwnGas = Pick<ReturnType<typeof readSwap>, 'gasPaid' | 'tipPaid' | 'basePaid'>
type Paid = Pick<Selectable<AttemptTable>, 'gas_paid' | 'tip_paid' | 'base_paid'>

function partInAll(
  column: 'tip_paid' | 'base_paid',
  { gasPaid, part }: { gasPaid: bigint | undefined; part: bigint | undefined },
  attempts: readonly Paid[],
): bigint | undefined {
  const paid = attempts.filter(({ gas_paid }) => gas_paid !== null)
  if (gasPaid === undefined && paid.length === 0) return undefined
  // A swap without a transaction of its own has no part in what its approvals paid.
  const own = gasPaid === undefined ? 0n : part
  if (own === undefined || paid.some((one) => one[column] === null)) return undefined
  return paid.reduce((sum, one) => sum + BigInt(one[column] ?? 0), own)
}
