import type { Hex } from '../../chain/calls/fields.ts'
import { traceParties } from '../../chain/calls/traces.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { isTransfer } from '../../chain/settlement/permit.ts'
import { nonceBit } from '../../chain/settlement/permit2.ts'
import { agreedTip, secondTip } from '../../chain/tip.ts'
import { show } from '../../core/amount.ts'
import { type Checklist, createChecklist } from '../../core/check.ts'
import type { Clock } from '../../core/clock.ts'
import type { Address } from '../../core/token.ts'
import { isLarge, proofOf } from '../proof.ts'
import { type Permitted, pass, type Simulated } from '../stages.ts'
import type { SimulationBounds, SimulationEndpoint, Witness } from './bounds.ts'
import { checkAnswers, checkBlock, revertName } from './checkBlock.ts'
import { checkDeltas } from './checkDeltas.ts'
import { checkStorage } from './checkStorage.ts'
import { checkWitness, checkWitnessAway } from './checkWitness.ts'
import { checkCosts, costsOf, gasPlayed, type Sights } from './costs.ts'
import { type Deltas, deltasOf, receivedIn, wordOf } from './deltasOf.ts'
import { look, type SimulationLook } from './look.ts'
import { type Scenes, scenesOf } from './scenes.ts'
import { accountsIn, straysOf, type TracedSwap } from './strays.ts'
import { playedSwap, tracesOf, untracedOf } from './traces.ts'
import { votesAmong } from './votes.ts'

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
    const gas = gasPlayed(permitted, bounds)
    const { scenes, sight, second, storage, suggested, sights } = await lookAll(
      permitted,
      installation,
      gas,
    )
    const costs = await costsOf(permitted, { sights, suggested, bounds })

    const checks = createChecklist('simulate', { earlier: permitted.checks, remedy: 'requote' })
    checkBlock(sight, { bounds, now: Math.floor(startedAt / 1_000), deadline }, checks)
    checks.equal('router-code', bounds.routerCodeHash, sight.routerCodeHash)
    checkAnswers(scenes.questions, sight.now.answers, checks)
    checkPlayed(permitted, sight, checks)
    const deltas = deltasIn(permitted, sight, scenes)
    const { rounding = [] } = bounds
    checkDeltas(permitted, { ...deltas, rounding }, checks)
    checkAllowance(permitted, sight, checks)
    if (storage !== undefined) checkStorage(permitted, storage, checks)
    checkCosts(permitted, { sight, costs, bounds }, checks)
    if (second !== undefined && 'error' in second) checkWitnessAway(second.error, checks)
    else if (second !== undefined)
      checkWitness(
        permitted,
        {
          rounding,
          nextNonce: await installation.nextNonce?.(),
          own: { sight, deltas },
          other: { sight: second, deltas: deltasIn(permitted, second, scenes) },
        },
        checks,
      )

    return pass<Simulated>({
      ...permitted,
      checks: checks.conclude(),
      fees: costs.fees,
      nonce: sight.nonce,
      simulation: {
        block: sight.head.number,
        startedAt,
        spent: { token: intent.sell.token, wei: deltas.spent },
        received: { token: intent.buy, wei: deltas.received },
        gas: costs.gas,
        approvalGas: costs.approvalGas,
        gasPrice: costs.price,
        tip: costs.tip,
        feeMost: costs.feeMost,
        ...(costs.rollupFee === undefined ? {} : { rollupFee: costs.rollupFee.paid }),
        proof: proofOf(permitted, {
          play: installation.endpoint.play,
          untraced: bounds.untraced,
          witness: installation.witness,
        }),
      },
    })
  }
}

type Installation = {
  readonly endpoint: SimulationEndpoint
  readonly witness: Witness | undefined
  readonly bounds: SimulationBounds
  readonly clock: Clock
  /** The nonce that the books give next; left out where there are none. */
  readonly nextNonce?: (() => Promise<number | undefined>) | undefined
}

/**
 * The accounts that a foreign router pays or takes from, where it writes what its calldata does not explain: a collector
 * of fees, the account of a market maker. Where the node does not tell them, those writes stay strays.
 */
async function partiesOf(
  permitted: Permitted,
  {
    rpc,
    seen,
    ...limits
  }: { rpc: Rpc; seen: TracedSwap; readonly gas: bigint; readonly gasPrice: bigint },
): Promise<readonly Address[]> {
  const played = playedSwap(permitted, limits)
  const isForeign = permitted.swap === undefined
  if (!isForeign || played === undefined || straysOf(permitted, seen).length === 0) return []
  const [parties] = await rpc.batch([traceParties(played)]).catch(() => [])
  return parties?.ok === true ? parties.value : []
}

/** One look through each endpoint: the bot's own, and for a large swap the witness, which may fail. */
async function lookAll(
  permitted: Permitted,
  { endpoint, witness, bounds, clock }: Installation,
  gas: bigint,
) {
  const { watched, chainId, gasPriceMax: gasPrice } = bounds
  const scenes = scenesOf(permitted, { watched, gas, now: Math.floor(clock.now() / 1_000) })
  const untraced = untracedOf(bounds)
  const wrapped = bounds.wrapped.address
  const traces = untraced && {
    untraced,
    ...tracesOf(permitted, { untraced, watched, wrapped, gas, gasPrice }),
  }
  const large = witness !== undefined && isLarge(permitted, witness.above)
  const [sight, second, tip] = await Promise.all([
    look(endpoint, permitted, { scenes, chainId, extra: traces?.calls ?? [] }),
    large
      ? witness
          .findPlay()
          .then((play) =>
            look({ rpc: witness.rpc, play }, permitted, { scenes, chainId, extra: [] }),
          )
          .catch((error: unknown) => ({ error }))
      : undefined,
    large ? undefined : secondTip({ witness, clock }),
  ])
  const other = second !== undefined && 'tip' in second ? second.tip : tip
  const suggested = agreedTip([sight.tip, other], bounds.tipMax)
  const seen = traces && {
    ...{ traced: traces.read(sight.extra), untraced: traces.untraced },
    ...{ executor: bounds.executor, tokens: watched, voting: bounds.voting ?? [] },
  }
  const written = seen && {
    ...seen,
    parties: await partiesOf(permitted, { rpc: endpoint.rpc, seen, gas, gasPrice }),
  }
  const strays = written === undefined ? [] : straysOf(permitted, written)
  const storage = written && {
    ...written,
    votes:
      strays.length === 0
        ? []
        : await votesAmong(strays, {
            rpc: endpoint.rpc,
            accounts: accountsIn(permitted, written),
            blockHash: sight.head.hash,
            // Where that is not answered they stay unknown, which is refused.
          }).catch(() => []),
  }
  const sights: Sights = [{ rpc: endpoint.rpc, sight }]
  if (second !== undefined && 'tip' in second && witness !== undefined)
    sights.push({ rpc: witness.rpc, sight: second })
  return { scenes, sight, second, storage, suggested, sights }
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
    now.swapped.success ? 'succeeds' : `reverts with ${revertText(now.swapped.data)}`,
  )
  const received = receivedIn(last)
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

/** No more stays within its spender's reach than the owner lets stand: nothing, unless the policy says otherwise. */
function checkAllowance(permitted: Permitted, { now }: SimulationLook, checks: Checklist): void {
  const { allowanceLeft: expected, intent } = permitted
  if (expected === undefined) return
  const { token } = intent.sell
  const left = wordOf(now.allowance)
  checks.holds(
    'allowance-left',
    left === expected,
    `exactly ${show({ token, wei: expected })}`,
    left === undefined ? 'unreadable' : show({ token, wei: left }),
  )
  const used = nonceUsed(permitted)
  if (used === undefined) return
  // One that is not used up could be given to the token again, by anybody, until its deadline.
  checks.equal('permit-used', used, wordOf(now.permitNonce) ?? 'unreadable')
}

/** How the nonce of a permit reads once it is used up, of Permit2 the word around it. */
function nonceUsed({ signedPermit, tokenPermit, permit2 }: Permitted): bigint | undefined {
  if (isTransfer(signedPermit) && permit2 !== undefined)
    return permit2.word | nonceBit(permit2.nonce).bit
  return signedPermit === undefined || tokenPermit === undefined
    ? undefined
    : tokenPermit.nonce + 1n
}

/** With what it means where a router takes exact amounts only, and the token delivers another. */
function revertText(data: Hex): string {
  const name = revertName(data)
  return name.startsWith('InexactTransfer')
    ? `${name}: that token takes a fee or rounds, and this router takes exact amounts only, so remove it from policy.tokens or sell it through a router that measures what arrives`
    : name
}
