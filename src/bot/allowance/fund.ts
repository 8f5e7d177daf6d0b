import { keccak256 } from 'viem'
import { erc20Abi } from '../../chain/abi/contracts.ts'
import { getBalance, getCode } from '../../chain/calls/account.ts'
import { encodeCall } from '../../chain/calls/encodeCall.ts'
import type { Hex } from '../../chain/calls/fields.ts'
import { callAs, readContract } from '../../chain/calls/readContract.ts'
import { traceReads } from '../../chain/calls/traces.ts'
import { answered, type Rpc, type RpcCall, RpcRefused, saysNo } from '../../chain/rpc/rpc.ts'
import { permit2CallSelector } from '../../chain/settlement/codec.ts'
import { permit2Address } from '../../chain/settlement/permit2.ts'
import { findLayout, type Layout, slotOf } from '../../chain/storage/layout.ts'
import type { Amount } from '../../core/amount.ts'
import { createChecklist } from '../../core/check.ts'
import { formatDecimal } from '../../core/decimal.ts'
import { type Address, isNative, sameToken, type Token } from '../../core/token.ts'
import { type Call, type Funded, type Planned, pass } from '../stages.ts'
import { readPermit } from './readPermit.ts'
import { readPermit2 } from './readPermit2.ts'

/** As for every view call: a hostile token is bounded. */
const callGas = 1_000_000n

const view = (token: Token, functionName: 'balanceOf' | 'allowance', args: readonly Address[]) =>
  readContract({ address: token.address, abi: erc20Abi, functionName, args: args as never })

/**
 * Looks whether the wallet could pay at all, and finds the approvals this swap still needs, to the pinned router only, or to
 * Permit2 where the swap brings a transfer of it: exactly the amount, or as much as the owner lets stand.
 *
 * An allowance that is there but does not do is set to zero first, where the token lets it, because tokens like USDT refuse
 * to change one directly, and a larger one left standing is money within reach of a contract.
 */
export function createFund({
  rpc,
  router,
  routerCodeHash,
  traced,
  standing,
  permits,
}: {
  rpc: Rpc
  router: Address
  routerCodeHash: Hex
  /** Whether a token's writes are looked at: then the simulation needs to know where its allowance is kept. */
  traced: (token: Token) => boolean
  /** The most that may be left standing, per token. Of the others each swap approves what it sells. */
  standing: readonly Amount[]
  /** The tokens whose swaps may bring a permit along in place of an approval, their own or one for Permit2. */
  permits: readonly Token[]
}) {
  return async function fund(planned: Planned): Promise<Funded> {
    const { wallet } = planned
    const { token, wei } = planned.intent.sell
    const looksUp = !isNative(token) && traced(token)
    const [code, native, held, allowed, reads] = await rpc.batch([
      getCode(router),
      getBalance(wallet),
      isNative(token) ? getBalance(wallet) : view(token, 'balanceOf', [wallet]),
      isNative(token) ? getBalance(wallet) : view(token, 'allowance', [wallet, router]),
      ...(looksUp ? [traceAllowance(token, { wallet, router })] : []),
    ])
    const checks = createChecklist('fund')
    const show = (amount: bigint) => `${formatDecimal(amount, token.decimals)} ${token.symbol}`
    // Before anything is approved: an approval of the wrong contract is a loss that no simulation of the swap prevents.
    checks.equal('router-code', routerCodeHash, keccak256(answered(code)))
    checks.holds('balance', answered(held) >= wei, `at least ${show(wei)}`, show(answered(held)))
    const forGas = isNative(token) ? answered(native) - wei : answered(native)
    checks.holds(
      'gas-money',
      forGas > 0n,
      'something of the chain’s own currency for gas',
      `${forGas} wei`,
    )
    checks.conclude()

    if (isNative(token)) return pass<Funded>({ ...planned, approvals: [] })
    const most = standing.find((one) => sameToken(one.token, token))?.wei ?? 0n
    const slots = reads === undefined ? undefined : answered(reads).get(token.address.toLowerCase())
    const layout = slots && findLayout(slots, [wallet, router])
    const arrange = (spender: Address, allowance: bigint) =>
      arrangeFor(rpc, { spender, allowance, layout, planned, most })
    const funded = { ...planned, ...(await arrange(router, answered(allowed))) }
    if (funded.approvals.length === 0 || !permits.some((one) => sameToken(one, token)))
      return pass<Funded>(funded)
    const tokenPermit = await readPermit(rpc, { token, wallet, traced: looksUp })
    // Where nothing may stand, an approval of Permit2 per swap would save none of the router, and cost more gas.
    if (tokenPermit !== undefined || most < wei || !offersPermit2(answered(code)))
      return pass<Funded>({ ...funded, tokenPermit })
    const read = await readPermit2(rpc, planned)
    const permit2 = read && {
      ...{ nonce: read.nonce, word: read.word },
      ...(await arrange(permit2Address, read.allowance)),
    }
    return pass<Funded>({ ...funded, permit2 })
  }
}

/** An older router knows its calls by other selectors. That its code has these four bytes is a hint: the simulation decides. */
export const offersPermit2 = (code: Hex): boolean => code.includes(permit2CallSelector.slice(2))

/** What is missing of the allowance of a spender, where it is kept, and what is left of it after the swap. */
async function arrangeFor(
  rpc: Rpc,
  {
    spender,
    allowance,
    layout,
    planned: { wallet, intent },
    most,
  }: {
    spender: Address
    allowance: bigint
    layout: Layout | undefined
    planned: Planned
    most: bigint
  },
) {
  const { token, wei } = intent.sell
  // A swap of more than may stand is approved exactly, as where nothing may.
  const isStanding = most >= wei
  const stands = isStanding && allowance >= wei && allowance <= most
  const target = stands ? allowance : isStanding ? most : wei
  const approve = (amount: bigint): Call => ({
    to: token.address,
    data: encodeCall({
      abi: erc20Abi,
      functionName: 'approve',
      args: [spender, amount],
    }),
    value: 0n,
  })
  const approvals = await approvalsFor(approve, {
    allowance,
    target,
    isRefused: ({ to, data }) => isRefused(rpc, callAs(wallet, { to, data, gas: callGas })),
  })
  const allowanceSlot = layout && slotOf(layout, [wallet, spender])
  return { approvals, allowanceSlot, allowanceLeft: target - wei }
}

async function approvalsFor(
  approve: (amount: bigint) => Call,
  {
    allowance,
    target,
    isRefused,
  }: { allowance: bigint; target: bigint; isRefused: (call: Call) => Promise<boolean> },
): Promise<readonly Call[]> {
  if (allowance === target) return []
  // A token that refuses a zero approval, as BNB does, lets one allowance follow another. The simulation decides that:
  // it plays these same approvals.
  const isDirect = allowance === 0n || (await isRefused(approve(0n)))
  return isDirect ? [approve(target)] : [approve(0n), approve(target)]
}

/** Whether the chain refuses a call; a node that is away gives no answer. */
async function isRefused(rpc: Rpc, call: RpcCall<unknown>): Promise<boolean> {
  const [outcome] = await rpc.batch([call])
  if (outcome.ok) return false
  if (outcome.error instanceof RpcRefused && saysNo(outcome.error)) return true
  throw outcome.error
}

const traceAllowance = (
  token: Token,
  { wallet, router }: { wallet: Address; router: Address },
): ReturnType<typeof traceReads> =>
  traceReads({
    from: wallet,
    to: token.address,
    data: encodeCall({
      abi: erc20Abi,
      functionName: 'allowance',
      args: [wallet, router],
    }),
    gas: callGas,
  })
