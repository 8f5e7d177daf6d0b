import { capped, feesFor, gasOfApproval } from '../../chain/fees.ts'
import { agreedTip, boundedTip, secondTip } from '../../chain/tip.ts'
import { type Amount, show } from '../../core/amount.ts'
import { type Checklist, createChecklist } from '../../core/check.ts'
import type { Clock } from '../../core/clock.ts'
import { formatDecimal } from '../../core/decimal.ts'
import { type Fees, type Permitted, pass, type Simulated } from '../stages.ts'
import type { SimulationBounds, SimulationEndpoint, Witness } from './bounds.ts'
import { checkAnswers, checkBlock, revertName } from './checkBlock.ts'
import { checkDeltas } from './checkDeltas.ts'
import { checkStorage } from './checkStorage.ts'
import { checkWitness, checkWitnessAway } from './checkWitness.ts'
import { type Deltas, deltasOf, wordOf } from './deltasOf.ts'
import { look, type SimulationLook } from './look.ts'
import { type Scenes, scenesOf } from './scenes.ts'
import { tracesOf, untracedOf } from './traces.ts'

/** Gas limits, with room: one maker or pool uses 170,000 to 210,000 in all, each further leg about 100,000, each tick crossed 38,000. */
const gasOfRouter = 250_000n
const gasOfLeg = 250_000n
/**
 * The router sets a ceiling of 500,000 aside for a maker that has a pool behind it, so that no one party can starve it
 * into the pool.
 */
const gasOfLegWithFallback = 800_000n

/**
 * Plays the same calldata through on the chain as it is now, in the last second it may be mined, and one second later.
 *
 * One JSON-RPC batch carries everything: chain, head, router code, nonce, fees, balance, the holdings of the router and
 * the makers, the simulations and the traces. A large swap sends the same to a second endpoint, at the same time; for a
 * small one that says only its tip.
 */
export function createSimulate(installation: Installation) {
  const { bounds, clock } = installation
  return async function simulateSwap(permitted: Permitted): Promise<Simulated> {
    const startedAt = clock.now()
    const { intent, deadline } = permitted
    const gas = gasNeeded(permitted, bounds.gasMax)
    const { scenes, sight, second, storage, suggested } = await lookAll(
      permitted,
      installation,
      gas,
    )

    const checks = createChecklist('simulate', { earlier: permitted.checks, remedy: 'requote' })
    checkBlock(sight, { bounds, now: Math.floor(startedAt / 1_000), deadline }, checks)
    checks.equal('router-code', bounds.routerCodeHash, sight.routerCodeHash)
    checkAnswers(scenes.questions, sight.now.answers, checks)
    checkPlayed(permitted, sight, checks)
    const deltas = deltasIn(permitted, sight, scenes)
    checkDeltas(permitted, deltas, checks)
    if (storage !== undefined)
      checkStorage(
        permitted,
        { ...storage, executor: bounds.executor, tokens: bounds.watched },
        checks,
      )
    // Without one the check of what gas costs fails.
    const feeMost = feeMostOf(permitted, { sight, bounds }) ?? 0n
    // The other half of what gas may cost of the swap is for its base fee.
    const tip = boundedTip(suggested, feeMost / 2n)
    const price = sight.head.baseFeePerGas + tip
    const fees = feesOf(permitted, { sight, tip, gas, feeMost, bounds })
    checkGas(permitted, { sight, price, fees, bounds }, checks)
    if (second !== undefined && 'error' in second) checkWitnessAway(second.error, checks)
    else if (second !== undefined)
      checkWitness(
        permitted,
        {
          own: { sight, deltas },
          other: { sight: second, deltas: deltasIn(permitted, second, scenes) },
        },
        checks,
      )

    return pass<Simulated>({
      ...permitted,
      checks: checks.conclude(),
      fees,
      nonce: sight.nonce,
      simulation: {
        block: sight.head.number,
        startedAt,
        spent: { token: intent.sell.token, wei: deltas.spent },
        received: { token: intent.buy, wei: deltas.received },
        gas: sight.now.swapped.gasUsed,
        approvalGas: sight.now.approved.reduce((sum, { gasUsed }) => sum + gasUsed, 0n),
        gasPrice: price,
        tip,
        feeMost,
      },
    })
  }
}

type Installation = {
  readonly endpoint: SimulationEndpoint
  readonly witness: Witness | undefined
  readonly bounds: SimulationBounds
  readonly clock: Clock
}

/** One look through each endpoint: the bot's own, and for a large swap the witness, which may fail. */
async function lookAll(
  permitted: Permitted,
  { endpoint, witness, bounds, clock }: Installation,
  gas: bigint,
) {
  const { watched, gasPriceMax: gasPrice } = bounds
  const scenes = scenesOf(permitted, { watched, gas })
  const untraced = untracedOf(bounds)
  const wrapped = bounds.wrapped.address
  const traces = untraced && {
    untraced,
    ...tracesOf(permitted, { untraced, watched, wrapped, gas, gasPrice }),
  }
  const large = witness !== undefined && isLarge(permitted, witness.above)
  const [sight, second, tip] = await Promise.all([
    look(endpoint, permitted, { scenes, extra: traces?.calls ?? [] }),
    large
      ? look(witness, permitted, { scenes, extra: [] }).catch((error: unknown) => ({ error }))
      : undefined,
    large ? undefined : secondTip({ witness, clock }),
  ])
  const other = second !== undefined && 'tip' in second ? second.tip : tip
  const suggested = agreedTip([sight.tip, other], bounds.tipMax)
  const storage = traces && { traced: traces.read(sight.extra), untraced: traces.untraced }
  return { scenes, sight, second, storage, suggested }
}

/** A worth that is unknown, or counted in another unit, may be any: it is witnessed. */
function isLarge({ notional }: Permitted, above: Amount): boolean {
  const comparable =
    notional !== undefined &&
    notional.token.symbol === above.token.symbol &&
    notional.token.decimals === above.token.decimals
  return !comparable || notional.wei >= above.wei
}

const deltasIn = (permitted: Permitted, { now }: SimulationLook, { probes }: Scenes): Deltas =>
  deltasOf(permitted, { probes, before: now.before, after: now.after })

/** The approvals and the swap succeed, the swap also in the last second it may be mined, and never after it. */
function checkPlayed(
  { minimum }: Permitted,
  { now, last, late }: Pick<SimulationLook, 'now' | 'last' | 'late'>,
  checks: Checklist,
): void {
  checks.equal(
    'approvals',
    true,
    now.approved.every(({ success }) => success),
  )
  checks.equal(
    'swap',
    'succeeds',
    now.swapped.success ? 'succeeds' : `reverts with ${revertName(now.swapped.data)}`,
  )
  const [before, after] = [wordOf(last.before), wordOf(last.after)]
  const received = before !== undefined && after !== undefined ? after - before : undefined
  checks.holds(
    'swap-at-deadline',
    last.swapped.success && received !== undefined && received >= minimum.wei,
    `at least ${show(minimum)}`,
    last.swapped.success
      ? received === undefined
        ? 'unreadable'
        : show({ token: minimum.token, wei: received })
      : `reverts with ${revertName(last.swapped.data)}`,
  )
  checks.equal('swap-after-deadline', 'reverts', late.success ? 'succeeds' : 'reverts')
}

/** A fee that lasts until the deadline, as far as the ceiling and the swap's worth allow: a later bid is seldom needed. */
function feesOf(
  { deadline }: Permitted,
  {
    sight: { head },
    tip: priorityFee,
    gas,
    feeMost,
    bounds: { gasPriceMax, blockTimeMs },
  }: {
    sight: SimulationLook
    tip: bigint
    gas: bigint
    feeMost: bigint
    bounds: SimulationBounds
  },
): Fees {
  const { baseFeePerGas, timestamp } = head
  const blocks = Math.ceil(((deadline - timestamp) * 1_000) / blockTimeMs) + 1
  const lasting = feesFor({ baseFeePerGas, priorityFee }, { ceiling: gasPriceMax, blocks })
  const price = baseFeePerGas + priorityFee
  // Where today's price is above the swap's worth, its own check reports that.
  return { gas, ...capped(lasting, feeMost > price ? feeMost : price) }
}

function checkGas(
  { call, approvals, appraisal }: Permitted,
  {
    sight,
    price,
    fees,
    bounds,
  }: { sight: SimulationLook; price: bigint; fees: Fees; bounds: SimulationBounds },
  checks: Checklist,
): void {
  const { gas, maxFeePerGas } = fees
  checks.holds('gas-limit', gas <= bounds.gasMax, `at most ${bounds.gasMax}`, gas)
  checks.holds(
    'gas-price',
    price <= maxFeePerGas,
    `at most ${formatDecimal(maxFeePerGas, 9)} gwei, under policy.maxGasPrice with room for a replacement`,
    `${formatDecimal(price, 9)} gwei`,
  )
  const wei = gasUsedBy({ approvals }, sight) * price
  const cost = gasCostBps({ wei, coin: appraisal.coin, notional: appraisal.notional })
  checks.holds(
    'gas-cost',
    cost !== undefined && cost <= BigInt(bounds.gasCostBpsMax),
    `at most ${bounds.gasCostBpsMax} bps of what is sold`,
    cost === undefined ? 'unknown: no reference values both' : `${cost} bps`,
  )
  const approvalGas = BigInt(approvals.length) * gasOfApproval * maxFeePerGas
  const needed = call.value + gas * maxFeePerGas + approvalGas
  checks.holds(
    'native-balance',
    sight.native >= needed,
    `at least ${formatDecimal(needed, 18)} for value and gas`,
    formatDecimal(sight.native, 18),
  )
}

const gasUsedBy = ({ approvals }: Pick<Permitted, 'approvals'>, { now }: SimulationLook): bigint =>
  now.swapped.gasUsed + BigInt(approvals.length) * gasOfApproval

/** The price of gas at which {@link gasCostBps} meets its bound, wei per gas; undefined where it has no value. */
function feeMostOf(
  { approvals, appraisal: { coin, notional } }: Permitted,
  { sight, bounds }: { sight: SimulationLook; bounds: SimulationBounds },
): bigint | undefined {
  const used = gasUsedBy({ approvals }, sight)
  if (coin === undefined || notional === undefined || coin.wei === 0n || used === 0n)
    return undefined
  return (BigInt(bounds.gasCostBpsMax) * notional.wei * 10n ** 18n) / (used * coin.wei * 10_000n)
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

/** A router that cannot be read gets what policy allows at most; the unused part is not paid. */
function gasNeeded({ swap, orders }: Permitted, gasMax: bigint): bigint {
  if (swap === undefined) return gasMax
  return orders.reduce((gas, { signature }, leg) => {
    const behind = swap.fallbackSwapDataArray[leg] ?? '0x'
    return gas + (signature !== '0x' && behind !== '0x' ? gasOfLegWithFallback : gasOfLeg)
  }, gasOfRouter)
}
