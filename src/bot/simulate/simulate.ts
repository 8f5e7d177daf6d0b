import { keccak256 } from 'viem'
import { getBalance } from '../../chain/calls/getBalance.ts'
import { getBlock } from '../../chain/calls/getBlock.ts'
import { getCode } from '../../chain/calls/getCode.ts'
import { getPriorityFee } from '../../chain/calls/getPriorityFee.ts'
import { getTransactionCount } from '../../chain/calls/getTransactionCount.ts'
import { type SimulatedCall, simulate } from '../../chain/calls/simulate.ts'
import { feesFor } from '../../chain/fees.ts'
import { gasOfApproval } from '../../chain/gasOfApproval.ts'
import type { Rpc, RpcOutcome } from '../../chain/rpc/rpc.ts'
import { assert } from '../../core/assert.ts'
import { createChecklist } from '../../core/check.ts'
import type { Clock } from '../../core/clock.ts'
import { formatDecimal } from '../../core/decimal.ts'
import { BallastError } from '../../core/errors.ts'
import type { Token } from '../../core/token.ts'
import { type Permitted, pass, type Simulated } from '../stages.ts'
import { checkDeltas } from './checkDeltas.ts'
import { probe, probeOverrides } from './probes.ts'
import { revertName } from './revertName.ts'

/** What the chain is held to. */
export type Bounds = {
  readonly routerCodeHash: `0x${string}`
  /** Every balance that is watched; what is neither sold nor bought must not move. */
  readonly watched: readonly Token[]
  readonly gasPriceMax: bigint
  readonly gasMax: bigint
  readonly timeToDeadlineSecondsMin: number
  /** A head older than this many seconds is a node that has stopped. */
  readonly headAgeSecondsMax: number
}

/** Gas limits, with room: one maker or pool uses 170,000 to 210,000 in all, each further leg about 100,000, each tick crossed 38,000. */
const gasOfRouter = 250_000n
const gasOfLeg = 250_000n
/** The router sets a ceiling of 500,000 aside for a maker that has a pool behind it, so that nobody can starve it into the pool. */
const gasOfLegWithFallback = 800_000n

/**
 * Plays the very calldata through on the chain as it is now, and again one second after its deadline.
 *
 * One JSON-RPC batch carries everything: head, router code, nonce, fees, balance and both simulations.
 * Results are exact balance differences, never transfer logs: a token can log what it likes.
 */
export function createSimulate({ rpc, bounds, clock }: { rpc: Rpc; bounds: Bounds; clock: Clock }) {
  return async function simulateSwap(permitted: Permitted): Promise<Simulated> {
    const { wallet, recipient, intent, call, deadline } = permitted
    const gas = gasNeeded(permitted, bounds.gasMax)
    const owners = wallet.toLowerCase() === recipient.toLowerCase() ? [wallet] : [wallet, recipient]
    const probes = owners.flatMap((owner) => bounds.watched.map((token) => ({ owner, token })))
    const balances = probes.map(({ token, owner }) => probe(token, owner))
    const steps: SimulatedCall[] = [
      ...permitted.approvals.map((step) => ({ ...step, from: wallet, gas: gasOfApproval })),
      { ...call, from: wallet, gas },
    ]

    const outcomes = await rpc.batch([
      getBlock('latest'),
      getCode(call.to),
      getTransactionCount(wallet),
      getPriorityFee,
      getBalance(wallet),
      simulate({ calls: [...balances, ...steps, ...balances], code: probeOverrides }),
      simulate({ calls: steps, timestamp: deadline + 1 }),
    ])
    const head = seen(outcomes[0])
    const code = seen(outcomes[1])
    const nonce = seen(outcomes[2])
    const priorityFee = seen(outcomes[3])
    const native = seen(outcomes[4])
    const played = seen(outcomes[5])
    const late = seen(outcomes[6])
    if (head === undefined) throw unseen(new Error('the endpoint has no latest block'))

    const checks = createChecklist('simulate', { earlier: permitted.checks, remedy: 'requote' })
    const age = Math.floor(clock.now() / 1_000) - head.timestamp
    checks.holds(
      'head-age',
      age <= bounds.headAgeSecondsMax,
      `at most ${bounds.headAgeSecondsMax} s`,
      `${age} s`,
    )
    checks.equal('router-code', bounds.routerCodeHash, keccak256(code))
    const earliest = head.timestamp + bounds.timeToDeadlineSecondsMin
    checks.holds('deadline-on-chain', deadline >= earliest, `at least ${earliest}`, deadline)

    const swapped = played[balances.length + steps.length - 1]
    const approved = played.slice(balances.length, balances.length + steps.length - 1)
    assert(swapped !== undefined, 'the scenario ends with the swap')
    checks.equal(
      'approvals',
      true,
      approved.every(({ success }) => success),
    )
    checks.equal(
      'swap',
      'succeeds',
      swapped.success ? 'succeeds' : `reverts with ${revertName(swapped.data)}`,
    )
    checks.equal(
      'swap-after-deadline',
      'reverts',
      late.at(-1)?.success === false ? 'reverts' : 'succeeds',
    )

    const before = played.slice(0, balances.length)
    const after = played.slice(balances.length + steps.length)
    const { spent, received } = checkDeltas(permitted, { probes, before, after }, checks)

    const fees = {
      gas,
      ...feesFor({ baseFeePerGas: head.baseFeePerGas, priorityFee }, bounds.gasPriceMax),
    }
    checks.holds('gas-limit', gas <= bounds.gasMax, `at most ${bounds.gasMax}`, gas)
    checks.holds(
      'gas-price',
      head.baseFeePerGas + priorityFee <= bounds.gasPriceMax,
      `at most ${formatDecimal(bounds.gasPriceMax, 9)} gwei`,
      `${formatDecimal(head.baseFeePerGas + priorityFee, 9)} gwei`,
    )
    const approvalGas = BigInt(permitted.approvals.length) * gasOfApproval * fees.maxFeePerGas
    const needed = call.value + fees.gas * fees.maxFeePerGas + approvalGas
    checks.holds(
      'native-balance',
      native >= needed,
      `at least ${formatDecimal(needed, 18)} for value and gas`,
      formatDecimal(native, 18),
    )

    return pass<Simulated>({
      ...permitted,
      checks: checks.conclude(),
      fees,
      nonce,
      simulation: {
        block: head.number,
        spent: { token: intent.sell.token, wei: spent },
        received: { token: intent.buy, wei: received },
        gas: swapped.gasUsed,
      },
    })
  }
}

/** A router that cannot be read gets what policy allows at most; the unused part is not paid. */
function gasNeeded({ swap, orders }: Permitted, gasMax: bigint): bigint {
  if (swap === undefined) return gasMax
  return orders.reduce((gas, { signature }, leg) => {
    const behind = swap.fallbackSwapDataArray[leg] ?? '0x'
    return gas + (signature !== '0x' && behind !== '0x' ? gasOfLegWithFallback : gasOfLeg)
  }, gasOfRouter)
}

/** One failed read fails the simulation: what could not be seen was not checked. */
function seen<value>(outcome: RpcOutcome<value>): value {
  if (outcome.ok) return outcome.value
  throw unseen(outcome.error)
}

function unseen(cause: Error): BallastError {
  return new BallastError('The chain could not be read for the simulation.', {
    code: 'SIMULATION_UNAVAILABLE',
    remedy: 'retry',
    fault: 'upstream',
    facts: { reason: cause.message.split('\n').join(';').slice(0, 300) },
    cause,
  })
}
