import { decodeFunctionData, parseTransaction } from 'viem'
import { erc20Abi } from '../../chain/abi/contracts.ts'
import type { Hex } from '../../chain/calls/fields.ts'
import {
  decodeOrders,
  decodeSwapCall,
  encodeExactInput,
  encodeSwapCall,
} from '../../chain/settlement/codec.ts'
import { isTransfer, type Permit, type SignedPermit } from '../../chain/settlement/permit.ts'
import { spendersOf } from '../../chain/settlement/spendersOf.ts'
import { type Checklist, createChecklist } from '../../core/check.ts'
import type { Clock } from '../../core/clock.ts'
import { type Address, isNative, sameAddress, sameToken, type Token } from '../../core/token.ts'
import type { Journaled, Permitted, Plan, Signed, Simulated } from '../stages.ts'
import { checkPlan, checkProof } from './checkPlan.ts'
import { checkWorth } from './checkWorth.ts'
import type { Policy, Spending } from './policy.ts'

type Installation = {
  readonly policy: Policy
  readonly spending: Pick<Spending, 'spent'>
  readonly router: Address
  readonly tokens: readonly Token[]
  /** The ERC-20 that stands for the chain's own currency inside the router. */
  readonly wrapped: Token
  /** Wei per gas. */
  readonly gasPriceMax: bigint
  readonly clock: Clock
}

/** The policy's second look: at the signed bytes, before they are stored. Throws Refused. */
export type Inspect = {
  swap(signed: Signed, simulated: Simulated): Promise<void>
  approval(signed: Signed, plan: Plan): void
  permit(permit: Permit, permitted: Permitted): void
  cancellation(signed: Signed): void
  /** The same call for a higher fee: nothing else may differ from the bytes that were looked at before. */
  bump(signed: Signed, old: Journaled): void
}

/**
 * Reads the signed bytes as a stranger would and holds their effect to the policy. The objects that led here supply
 * only facts that bytes cannot show: the requester, and the answers of the references.
 */
export function createInspect(installation: Installation): Inspect {
  const { policy, router, gasPriceMax } = installation
  return {
    async swap({ raw, wallet }, simulated) {
      const checks = createChecklist('signed')
      const { to, data, value, chainId } = read(raw)
      checks.equal('chain', simulated.intent.sell.token.chainId, chainId)
      checks.equal('router', router, to)
      checks.equal('verified-bytes', simulated.call.data, data)
      if (simulated.swap === undefined)
        await checkClosed(installation, { value, simulated }, checks)
      else await checkDecoded(installation, { data, value, wallet, simulated }, checks)
      checks.conclude()
    },

    approval({ raw }, { intent: { sell } }) {
      const checks = createChecklist('signed')
      const { to, data, value, chainId } = read(raw)
      checks.equal('approval-chain', sell.token.chainId, chainId)
      checks.equal('approval-token', sell.token.address, to)
      checks.equal('approval-value', 0n, value)
      const most = policy.allowances.find(({ token }) => sameToken(token, sell.token))
      const amounts = [sell.wei, ...(most === undefined ? [] : [most.wei])]
      // Permit2 is of use where an amount may stand, and approved nowhere else.
      const permits = most === undefined ? [] : policy.permits
      const spenders = spendersOf(sell.token, { router, permits })
      checkApproval(data, { spenders, amounts }, checks)
      checks.conclude()
    },

    permit(permit, { intent: { sell }, wallet, deadline, authorization, permit2 }) {
      const checks = createChecklist('signed')
      const { token, owner, spender, wei } = permit
      checks.equal('permit-token', sell.token.address, token)
      checks.equal('permit-chain', sell.token.chainId, permit.chainId)
      checks.equal('permit-owner', wallet, owner)
      checks.equal('permit-spender', router, spender)
      checks.equal('permit-amount', sell.wei, wei)
      checks.equal('permit-deadline', deadline, permit.deadline)
      if (permit.authorization !== undefined) {
        checks.equal('permit-swap', authorization, permit.authorization)
        checks.equal('permit-nonce', permit2?.nonce, permit.nonce)
      }
      checks.conclude()
    },

    cancellation({ raw, wallet }) {
      const checks = createChecklist('signed')
      const { to, data, value } = read(raw)
      checks.equal('cancellation', `${wallet} 0x 0`, `${to} ${data} ${value}`)
      checkFee(raw, gasPriceMax, checks)
      checks.conclude()
    },

    bump({ raw }, old) {
      const checks = createChecklist('signed')
      checks.equal('bumped-call', sameBut(old.raw), sameBut(raw))
      checkFee(raw, gasPriceMax, checks)
      checks.conclude()
    },
  }
}

/** A foreign router's call is a closed box: that it is the one that was simulated, of a plan within the limits. */
async function checkClosed(
  { policy, spending, clock }: Installation,
  { value, simulated }: { value: bigint; simulated: Simulated },
  checks: Checklist,
): Promise<void> {
  checks.equal('value', simulated.call.value, value)
  const now = clock.now()
  const { absent } = simulated.appraisal
  const spent = await spending.spent(simulated)
  checkPlan(simulated, { policy, spent, now, absent }, checks)
  checkWorth({ ...simulated, now }, policy, checks)
  checkProof(simulated, { policy, proof: simulated.simulation.proof }, checks)
}

/** A call of our router, from its bytes alone: what it sells, buys and guarantees is within the policy. */
async function checkDecoded(
  installation: Installation,
  {
    data,
    value,
    wallet,
    simulated,
  }: { data: Hex; value: bigint; wallet: Address; simulated: Simulated },
  checks: Checklist,
): Promise<void> {
  const { policy, spending, wrapped, clock } = installation
  const call = attempt(() => decodeSwapCall(data))
  const swap = call?.swap
  const orders = swap && attempt(() => decodeOrders(swap.orders))
  checks.equal('call', 'exactInput', swap && orders ? 'exactInput' : data.slice(0, 10))
  if (swap === undefined || orders === undefined) return
  if (call?.permit !== undefined) checkPermitCall({ ...call, data, simulated }, checks)

  const sold = tokenAt(orders[0]?.order.sellerToken, swap.toWrap, installation)
  const bought = tokenAt(orders.at(-1)?.order.buyerToken, swap.toUnwrap, installation)
  checks.equal('sold-as-asked', simulated.intent.sell.token.symbol, sold?.symbol)
  checks.equal('bought-as-asked', simulated.intent.buy.symbol, bought?.symbol)
  checks.equal('value', swap.toWrap ? swap.amountIn : 0n, value)
  if (sold === undefined || bought === undefined) return

  const amountOut = orders
    .filter(({ order }) => sameAddress(order.buyerToken, onChain(bought, wrapped)))
    .reduce((sum, { order }) => sum + order.buyerTokenAmount, 0n)
  const minimum = { token: bought, wei: swap.amountOutMinimum }
  const plan: Plan = {
    ...simulated,
    intent: {
      ...simulated.intent,
      sell: { token: sold, wei: swap.amountIn },
      buy: bought,
      floor: minimum,
    },
    wallet,
    recipient: swap.recipient,
  }
  const now = clock.now()
  const { absent } = simulated.appraisal
  checkPlan(plan, { policy, spent: await spending.spent(plan), now, absent }, checks)
  checks.holds(
    'not-below-floor',
    minimum.wei >= simulated.intent.floor.wei,
    simulated.intent.floor.wei,
    minimum.wei,
  )
  checks.equal('amount-in', simulated.intent.sell.wei, swap.amountIn)
  const worth = { minimum, amountOut: { token: bought, wei: amountOut }, now }
  checkWorth({ ...worth, intent: plan.intent, appraisal: simulated.appraisal }, policy, checks)
  checkProof(plan, { policy, proof: simulated.simulation.proof }, checks)
}

/** A call with a permit is the verified one and the permit that was stored, byte for byte, and nothing besides. */
function checkPermitCall(
  {
    data,
    simulated: { quote, signedPermit },
    ...call
  }: ReturnType<typeof decodeSwapCall> & { data: Hex; simulated: Simulated },
  checks: Checklist,
): void {
  checks.equal('permit-call', encodeSwapCall(call), data)
  const verified = 'txRequest' in quote ? quote.txRequest.calldata : 'nothing'
  checks.equal('verified-call', verified, encodeExactInput(call.swap))
  const text = (permit: SignedPermit | undefined) => {
    if (permit === undefined) return 'none'
    return isTransfer(permit)
      ? [permit.nonce, permit.deadline, permit.signature].join(' ')
      : [permit.deadline, permit.v, permit.r, permit.s].join(' ')
  }
  checks.equal('permit', text(signedPermit), text(call.permit))
}

/** All of a transaction but its fees. */
function sameBut(raw: Hex): string {
  const { chainId, nonce, to, value, data, gas, accessList } = parseTransaction(raw)
  return [chainId, nonce, to, value, data, gas, JSON.stringify(accessList)].join(' ')
}

function checkFee(raw: Hex, gasPriceMax: bigint, checks: Checklist): void {
  const { maxFeePerGas, gasPrice } = parseTransaction(raw)
  // Bytes of the old kind have a price in place of a limit; a field that is absent is 0.
  const fee = maxFeePerGas ?? gasPrice ?? 0n
  checks.holds('fee', fee <= gasPriceMax, `at most ${gasPriceMax} wei per gas`, fee)
}

/**
 * Of the amount, or of what may stand, to the router, or to Permit2 where policy lets a permit do, and to no other spender;
 * of nothing to any, which takes an allowance back.
 */
function checkApproval(
  data: Hex,
  { spenders, amounts }: { spenders: readonly Address[]; amounts: readonly bigint[] },
  checks: Checklist,
): void {
  const call = attempt(() => decodeFunctionData({ abi: erc20Abi, data }))
  const [spender, approved] = call?.functionName === 'approve' ? call.args : []
  const known = spenders.find((one) => spender !== undefined && sameAddress(one, spender))
  if (approved !== 0n) checks.equal('approval-spender', known ?? spenders.join(' or '), spender)
  checks.holds(
    'approval-amount',
    approved === 0n || (approved !== undefined && amounts.includes(approved)),
    `${amounts.join(' or ')} or 0`,
    approved ?? data.slice(0, 10),
  )
}

type Effect = { to: string; data: Hex; value: bigint; chainId: number | undefined }

function read(raw: Hex): Effect {
  const { to, data = '0x', value = 0n, chainId } = parseTransaction(raw)
  return { to: to ?? 'a new contract', data, value, chainId }
}

function tokenAt(
  address: Address | undefined,
  asCurrency: boolean,
  { tokens, wrapped }: Installation,
): Token | undefined {
  if (address === undefined) return undefined
  if (!asCurrency) return tokens.find((one) => sameAddress(one.address, address))
  return sameAddress(address, wrapped.address) ? tokens.find(isNative) : undefined
}

const onChain = (token: Token, wrapped: Token) =>
  isNative(token) ? wrapped.address : token.address

function attempt<result>(decode: () => result): result | undefined {
  try {
    return decode()
  } catch {
    // Why it cannot be decoded is of no use to anyone: the check shows its first bytes.
    return undefined
  }
}
