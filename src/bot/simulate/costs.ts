import { pinned } from '../../chain/calls/fields.ts'
import { capped, feesFor, gasOfApproval } from '../../chain/fees.ts'
import { dearer, type RollupFee, readRollupFee } from '../../chain/rollup/bytesCost.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { boundedTip } from '../../chain/tip.ts'
import type { Amount } from '../../core/amount.ts'
import type { Checklist } from '../../core/check.ts'
import { formatDecimal } from '../../core/decimal.ts'
import { larger, smaller } from '../../core/holdings.ts'
import type { Fees, Permitted } from '../stages.ts'
import type { SimulationBounds } from './bounds.ts'
import { missingAnswer, type SimulationLook } from './look.ts'

/** Gas limits, with room: one maker or pool uses 170,000 to 210,000 in all, each further leg about 100,000, each tick crossed 38,000. */
const gasOfRouter = 250_000n
/** A plain permit uses 50,000 where it is the wallet's first. */
const gasOfPermit = 100_000n
const gasOfLeg = 250_000n
/**
 * The router sets a ceiling of 500,000 aside for a maker that has a pool behind it, so that no one party can starve it
 * into the pool.
 */
const gasOfLegWithFallback = 800_000n

/** What each endpoint that was asked saw, the bot's own first. */
export type Sights = { readonly rpc: Rpc; readonly sight: SimulationLook }[]

/** What a swap takes of the chain's own currency, and what is signed for it. */
export type Costs = {
  readonly fees: Fees
  /** Gas that the swap will have used, its bytes included where a chain counts them as gas; and its approvals. */
  readonly gas: bigint
  readonly approvalGas: bigint
  /** The limits of the approvals, in all. */
  readonly approvalLimits: bigint
  /** Wei per gas now, the tip in it, and what the swap is worth at most. */
  readonly price: bigint
  readonly tip: bigint
  readonly feeMost: bigint
  /** Those of the approvals included; undefined where a chain takes nothing but gas. */
  readonly rollupFee: RollupFee | undefined
}

/** The most gas that is signed for: as much is played with, so that what is used shows where our figures are wrong. */
export const gasPlayed = (permitted: Permitted, { gasMax }: { gasMax: bigint }): bigint =>
  larger(gasUsual(permitted, gasMax), gasMax)

/**
 * The costs as the endpoints saw them. Of two that differ on what the chain takes for bytes, the dearer one counts.
 *
 * The OP stack prices exact bytes, and those are known once fees and limit are: there it is asked a second time.
 */
export async function costsOf(
  permitted: Permitted,
  { sights, suggested, bounds }: { sights: Sights; suggested: bigint; bounds: SimulationBounds },
): Promise<Costs> {
  const { approvals, call } = permitted
  const { sight } = sights[0] as Sights[number]
  const { now, head, nonce } = sight
  const bytes = dearer(sights.map((one) => one.sight.bytes))
  const ofBytes = bytes.gas ?? 0n
  const room = withRoom(ofBytes)
  const gas = now.swapped.gasUsed + ofBytes
  const approvalGas = now.approved.reduce((sum, { gasUsed }) => sum + gasUsed + ofBytes, 0n)
  const approvalLimits = now.approved.reduce(
    (sum, { gasUsed }) => sum + larger(gasOfApproval, withRoom(gasUsed)) + room,
    0n,
  )
  // Their bytes are fewer than those of the swap.
  const ofApprovals = (bytes.fee ?? 0n) * BigInt(approvals.length)

  const used = { gas: gas + approvalGas, fee: (bytes.fee ?? 0n) + ofApprovals }
  // Without one the check of what gas costs fails.
  const feeMost = feeMostOf(permitted, { used, bounds }) ?? 0n
  // The other half of what gas may cost of the swap is for its base fee.
  const tip = boundedTip(suggested, feeMost / 2n)
  const limit = limitOf(permitted, { played: now.swapped.gasUsed, room, gasMax: bounds.gasMax })
  const fees = feesOf(permitted, { head, tip, gas: limit, feeMost, bounds })
  const fee = await rollupFeeOf(sights, {
    fields: { ...call, ...fees, nonce, chainId: bounds.chainId },
    gasUsed: gas,
  })
  const rollupFee = fee && { paid: fee.paid + ofApprovals, held: fee.held + ofApprovals }
  const price = head.baseFeePerGas + tip
  return { fees, gas, approvalGas, approvalLimits, price, tip, feeMost, rollupFee }
}

/** The dearer word of the endpoints that know such a fee. */
async function rollupFeeOf(
  sights: Sights,
  { fields, gasUsed }: { fields: Parameters<typeof readRollupFee>[1]; gasUsed: bigint },
): Promise<RollupFee | undefined> {
  const fees = await Promise.all(
    sights
      .filter(({ sight }) => sight.bytes.fee !== undefined)
      .map(({ rpc, sight: { head } }) =>
        readRollupFee(rpc, fields, { gasUsed, at: (one) => pinned(one, head.hash) }).catch(
          (error: Error) => {
            throw missingAnswer(error)
          },
        ),
      ),
  )
  if (fees.length === 0) return undefined
  return fees.reduce((a, b) => ({ paid: larger(a.paid, b.paid), held: larger(a.held, b.held) }))
}

/** The swap is worth what it costs, within every limit, and the wallet can pay for all that is signed. */
export function checkCosts(
  { call, appraisal, deadline }: Permitted,
  { sight, costs, bounds }: { sight: SimulationLook; costs: Costs; bounds: SimulationBounds },
  checks: Checklist,
): void {
  const { gas, maxFeePerGas } = costs.fees
  const gasMost = larger(gas, costs.gas)
  checks.holds('gas-limit', gasMost <= bounds.gasMax, `at most ${bounds.gasMax}`, gasMost)
  checks.holds(
    'gas-price',
    costs.price <= maxFeePerGas,
    `at most ${formatDecimal(maxFeePerGas, 9)} gwei, under policy.maxGasPrice with room for a replacement`,
    `${formatDecimal(costs.price, 9)} gwei`,
  )
  const { paid, held } = costs.rollupFee ?? { paid: 0n, held: 0n }
  const wei = (costs.gas + costs.approvalGas) * costs.price + paid
  const cost = gasCostBps({ wei, coin: appraisal.coin, notional: appraisal.notional })
  checks.holds(
    'gas-cost',
    cost !== undefined && cost <= BigInt(bounds.gasCostBpsMax),
    `at most ${bounds.gasCostBpsMax} bps of what is sold`,
    cost === undefined ? 'unknown: no reference values both' : `${cost} bps`,
  )
  const forBytes = risen(held, deadline - sight.head.timestamp)
  const needed = call.value + (gas + costs.approvalLimits) * maxFeePerGas + forBytes
  checks.holds(
    'native-balance',
    sight.native >= needed,
    `at least ${formatDecimal(needed, 18)} for value and gas`,
    formatDecimal(sight.native, 18),
  )
}

/** What an L1 asks rises by an eighth in each of its blocks at most, and a fee leaves room for this many of them. */
const l1Blocks = { seconds: 12, most: 12 }

/** A fee of the L1 as dear as it can be after so many seconds. */
function risen(fee: bigint, seconds: number): bigint {
  const blocks = Math.min(Math.floor(seconds / l1Blocks.seconds) + 1, l1Blocks.most)
  let most = fee
  for (let block = 0; block < blocks; block++) most = (most * 9n + 7n) / 8n
  return most
}

/** A fee that lasts until the deadline, as far as the ceiling and the swap's worth allow: a later bid is seldom needed. */
function feesOf(
  { deadline }: Permitted,
  {
    head: { baseFeePerGas, timestamp },
    tip: priorityFee,
    gas,
    feeMost,
    bounds: { gasPriceMax, blockTimeMs },
  }: {
    head: SimulationLook['head']
    tip: bigint
    gas: bigint
    feeMost: bigint
    bounds: SimulationBounds
  },
): Fees {
  const blocks = Math.ceil(((deadline - timestamp) * 1_000) / blockTimeMs) + 1
  const lasting = feesFor({ baseFeePerGas, priorityFee }, { ceiling: gasPriceMax, blocks })
  const price = baseFeePerGas + priorityFee
  // Where today's price is above the swap's worth, its own check reports that.
  return { gas, ...capped(lasting, feeMost > price ? feeMost : price) }
}

/** The price of gas at which {@link gasCostBps} meets its bound, wei per gas; undefined where it has no value. */
function feeMostOf(
  { appraisal: { coin, notional } }: Permitted,
  {
    used,
    bounds,
  }: { used: { readonly gas: bigint; readonly fee: bigint }; bounds: SimulationBounds },
): bigint | undefined {
  if (coin === undefined || notional === undefined || coin.wei === 0n || used.gas === 0n)
    return undefined
  const worth = BigInt(bounds.gasCostBpsMax) * notional.wei * 10n ** 18n
  const left = worth - used.fee * coin.wei * 10_000n
  return left > 0n ? left / (used.gas * coin.wei * 10_000n) : 0n
}

/**
 * Gas cost relative to the sale, at today's price. Rounds up. Undefined where either has no value in the unit of
 * account.
 */
function gasCostBps({
  wei,
  coin,
  notional,
}: {
  wei: bigint
  coin: Amount | undefined
  notional: Amount | undefined
}): bigint | undefined {
  if (coin === undefined || notional === undefined || notional.wei === 0n) return undefined
  const scaled = wei * coin.wei * 10_000n
  const whole = notional.wei * 10n ** 18n
  return (scaled + whole - 1n) / whole
}

/** What a router that we know usually needs. One that cannot be read gets what policy allows; the unused part is not paid. */
function gasUsual({ swap, orders, signedPermit }: Permitted, gasMax: bigint): bigint {
  if (swap === undefined) return gasMax
  const around = gasOfRouter + (signedPermit === undefined ? 0n : gasOfPermit)
  return orders.reduce((gas, { signature }, leg) => {
    const behind = swap.fallbackSwapDataArray[leg] ?? '0x'
    return gas + (signature !== '0x' && behind !== '0x' ? gasOfLegWithFallback : gasOfLeg)
  }, around)
}

/**
 * The limit that is signed: what is usual, or half as much again as was played where a token uses more, and the gas of
 * the bytes on top, all within what policy allows. A node that claims too little gas lowers nothing.
 */
function limitOf(
  permitted: Permitted,
  { played, room, gasMax }: { played: bigint; room: bigint; gasMax: bigint },
): bigint {
  const usual = gasUsual(permitted, gasMax)
  if (permitted.swap === undefined) return usual
  return larger(usual, smaller(withRoom(played), gasMax - room)) + room
}

/** Refunds are in what was used, up to a fifth, and a call passes on 63 parts of 64 of what it has. */
const withRoom = (gas: bigint): bigint => (gas * 3n) / 2n
