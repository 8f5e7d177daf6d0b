import { z } from 'zod'
import type { Hex } from '../../../chain/calls/fields.ts'
import { type Amount, show } from '../../../core/amount.ts'
import { formatDecimal } from '../../../core/decimal.ts'
import { dayMs, hourMs } from '../../../core/spans.ts'
import type { Address } from '../../../core/token.ts'
import { refused } from './readRequest.ts'

const units = z.string().regex(/^(?:0|[1-9]\d{0,77})$/)
const address = z.string().regex(/^0x[0-9a-f]{40}$/)

/** One counted signature. `at` in milliseconds since the epoch. Older lines have a sale and nothing else. */
export const countedSignature = z.strictObject({
  at: z.int().min(0),
  chainId: z.int(),
  /** The sold token, in its smallest unit. Absent where nothing was sold, or the sale was counted already. */
  token: address.optional(),
  wei: units.optional(),
  sale: z
    .string()
    .regex(/^0x[0-9a-f]{64}$/)
    .optional(),
  account: address.optional(),
  nonce: z.int().min(0).optional(),
  /** Wei of the chain's own coin, beyond the amount counted under this nonce before. */
  gas: units.optional(),
  value: units.optional(),
})
export type CountedSignature = z.infer<typeof countedSignature>

/** The cost of one signature at most, in wei of the chain's own coin; and its sale. */
export type Spend = {
  readonly chainId: number
  readonly account: Address
  /** Undefined for what is no transaction. */
  readonly nonce: number | undefined
  /** The gas limit at the highest fee. */
  readonly gas: bigint
  readonly value: bigint
  /** `id` is a digest of chain, nonce and call: the same sale for a higher fee has the same. */
  readonly sale: { readonly id: Hex; readonly sold: Amount; readonly perDay: bigint } | undefined
}

/** The limits of all signatures together. A day is any 24 hours. */
export type DayLimits = {
  /** Wei of the chain's own coin. Without a limit of its own, the coin that is sent counts as its token alone. */
  readonly coinPerDay: { readonly wei: bigint; readonly counts: 'gas' | 'gas and value' }
  readonly signaturesPerHour: number
  readonly signaturesPerDay: number
}

/**
 * The line that counts a signature; refuses one that takes the hour or the day beyond its limits.
 *
 * Of all transactions under one nonce one is mined, so gas and value count by the dearest of them, and the same sale
 * counts once. A dearer one adds its difference. So the counted sum is never below the cost of all that can be mined,
 * in any order of requests.
 */
export function countedBy(
  { chainId, account, nonce, gas, value, sale }: Spend,
  {
    entries,
    now,
    limits,
  }: { entries: readonly CountedSignature[]; now: number; limits: DayLimits },
): CountedSignature {
  const recent = entries.filter((one) => one.at > now - dayMs)
  checkRate(recent, now, limits)
  const spender = account.toLowerCase()
  const sameNonce = recent.filter(
    (one) => one.chainId === chainId && one.account === spender && one.nonce === nonce,
  )
  const added = {
    gas: beyond(sum(sameNonce, 'gas'), gas),
    value: beyond(sum(sameNonce, 'value'), value),
  }
  checkCoin(recent, added, limits)
  return {
    at: now,
    chainId,
    ...(sale === undefined || recent.some((one) => one.sale === sale.id)
      ? {}
      : saleEntry(sale, { chainId, recent })),
    account: spender,
    ...(nonce === undefined ? {} : { nonce }),
    gas: String(added.gas),
    value: String(added.value),
  }
}

function checkRate(recent: readonly CountedSignature[], now: number, limits: DayLimits): void {
  const lastHour = recent.filter((one) => one.at > now - hourMs).length
  if (lastHour >= limits.signaturesPerHour)
    throw refused(
      'SIGNATURES_PER_HOUR',
      `${lastHour} signatures in one hour are the most (maxSignaturesPerHour)`,
    )
  if (recent.length >= limits.signaturesPerDay)
    throw refused(
      'SIGNATURES_PER_DAY',
      `${recent.length} signatures in 24 hours are the most (maxSignaturesPerDay)`,
    )
}

function checkCoin(
  recent: readonly CountedSignature[],
  added: { readonly gas: bigint; readonly value: bigint },
  { coinPerDay: { wei, counts } }: DayLimits,
): void {
  const gas = sum(recent, 'gas') + added.gas
  const spent = counts === 'gas' ? gas : gas + sum(recent, 'value') + added.value
  if (spent > wei)
    throw refused(
      'COIN_PER_DAY',
      `${counts} of 24 hours would be ${formatDecimal(spent, 18)} of the chain's coin, more than ${formatDecimal(wei, 18)} (maxCoinPerDay)`,
    )
}

function saleEntry(
  { id, sold, perDay }: NonNullable<Spend['sale']>,
  { chainId, recent }: { chainId: number; recent: readonly CountedSignature[] },
): Pick<CountedSignature, 'token' | 'wei' | 'sale'> {
  const token = sold.token.address.toLowerCase()
  const same = recent.filter((one) => one.chainId === chainId && one.token === token)
  const most = show({ ...sold, wei: perDay })
  if (sum(same, 'wei') + sold.wei > perDay)
    throw refused('ABOVE_PER_DAY', `with ${show(sold)} it would be more than ${most} in 24 hours`)
  return { token, wei: String(sold.wei), sale: id }
}

const sum = (entries: readonly CountedSignature[], field: 'wei' | 'gas' | 'value'): bigint =>
  entries.reduce((total, one) => total + BigInt(one[field] ?? 0), 0n)

const beyond = (counted: bigint, wanted: bigint) => (wanted > counted ? wanted - counted : 0n)
