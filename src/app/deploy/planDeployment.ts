import { keccak256, zeroAddress } from 'viem'
import { swapRouterAbi } from '../../../contracts/abi/swapRouter.ts'
import { factoriesAbi } from '../../chain/abi/contracts.ts'
import { getBalance, getCode, getTransactionCount } from '../../chain/calls/account.ts'
import type { Hex } from '../../chain/calls/fields.ts'
import { estimateGas, getChainId } from '../../chain/calls/node.ts'
import { readContract } from '../../chain/calls/readContract.ts'
import { create2Proxy } from '../../chain/create2Proxy.ts'
import { costCalls } from '../../chain/rollup/bytesCost.ts'
import { answered, type Rpc, type RpcOutcome, saysNo } from '../../chain/rpc/rpc.ts'
import type { Config } from '../../config/config.ts'
import { ballastError, type Facts } from '../../core/errors.ts'
import { type Address, sameAddress, type Token } from '../../core/token.ts'
import { assertChain } from '../openMarket.ts'
import { type Design, lookAt, type Step } from './design.ts'

/** The fees of a unit of gas, wei. */
export type GasPrice = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

/**
 * A step with the gas it is expected to take, none where it is done, or signed by nobody; and with what the OP stack takes
 * for its bytes besides, wei.
 */
export type PricedStep = Step & { readonly gas: bigint; readonly rollupFee: bigint }

/** The steps of a deployment, their cost, and the accounts that cannot pay it. */
export type DeploymentPlan = {
  readonly steps: readonly PricedStep[]
  /** Wei, at the prices of now, with what the proxy's creation takes. */
  readonly cost: bigint
  /** For each account: what must be there, because a fee may rise, and what is. */
  readonly accounts: readonly {
    readonly address: Address
    readonly needs: bigint
    readonly holds: bigint
  }[]
  /** Whether the owner's account ever did or held anything here: an address with a typing error did not. */
  readonly ownerIsUsed: boolean
}

/** Refuses what could never work: another chain, a missing token, a factory that is none, a foreign proxy. */
export async function assertFits(
  rpc: Rpc,
  { config, design }: { config: Config; design: Design },
): Promise<void> {
  const { wrapped, v2Factory, v3Factory } = design
  const found = await rpc.request(getChainId)
  assertChain(config, { found, endpoint: rpc.label })
  const [proxy, token, pair, pool] = await rpc.batch([
    getCode(create2Proxy.address),
    getCode(wrapped.address),
    readContract({ ...factories, address: v2Factory, functionName: 'getPair', args: two(wrapped) }),
    readContract({
      ...factories,
      address: v3Factory,
      functionName: 'getPool',
      args: [...two(wrapped), 3000],
    }),
  ])
  if (answered(proxy) !== '0x' && answered(proxy) !== create2Proxy.code)
    throw unfit(
      'Another contract stands where the deployment proxy belongs: nothing is sent to it.',
      {
        address: create2Proxy.address,
      },
    )
  if (answered(token) === '0x')
    throw unfit('There is no contract at the token that wraps the native currency.', {
      token: wrapped.address,
    })
  assertFactory(pair, { option: '--v2-factory', address: v2Factory })
  assertFactory(pool, { option: '--v3-factory', address: v3Factory })
}

/** The calls of the executor: a contract that does not answer them would make a router whose pool legs all fail. */
const factories = { abi: factoriesAbi }

const two = ({ address }: Token) => [address, create2Proxy.address] as const

function assertFactory(
  outcome: RpcOutcome<Address>,
  { option, address }: { option: string; address: Address },
): void {
  if (address === zeroAddress || outcome.ok) return
  if (!saysNo(outcome.error)) throw outcome.error
  throw unfit(`${option} is no factory of such pools.`, { address })
}

const unfit = (summary: string, facts: Facts) => ballastError('DEPLOYMENT_UNFIT', summary, facts)

/** What is left to be done and what that costs. Asks, and changes nothing. */
export async function planDeployment(
  rpc: Rpc,
  { design, fees }: { design: Design; fees: GasPrice & { readonly now: bigint } },
): Promise<DeploymentPlan> {
  const steps = await lookAt(rpc, design)
  const left = steps.filter(({ done }) => !done)
  const hasProxy = steps.some(({ name, done }) => name === 'proxy' && done)
  const [estimates, bytes] = await Promise.all([
    rpc.batch(left.map((step) => estimateOf(step, { design, hasProxy }))),
    rpc.batch(left.map(({ call }) => costCalls({ ...call, chainId: design.wrapped.chainId })[0])),
  ])
  const priced = steps.map((step): PricedStep => {
    const index = left.indexOf(step)
    const [estimate, fee] = [estimates[index], bytes[index]]
    if (estimate === undefined || fee === undefined || step.from === undefined)
      return { ...step, gas: 0n, rollupFee: 0n }
    return { ...step, gas: answered(estimate), rollupFee: answered(fee) ?? 0n }
  })
  const senders = [...new Set([design.deployer, ...design.signing])]
  const held = await rpc.batch(senders.map((one) => getBalance(one)))
  const [code, balance, nonce] = await rpc.batch([
    getCode(design.owner),
    getBalance(design.owner),
    getTransactionCount(design.owner),
  ])
  const costOf = (own: readonly PricedStep[], price: bigint) =>
    own.reduce(
      (sum, { gas, rollupFee, call, done }) =>
        sum + (done ? 0n : withRoom(gas) * price + withRoom(rollupFee) + call.value),
      0n,
    )
  return {
    steps: priced,
    cost: priced.reduce(
      (sum, { gas, rollupFee, call, done }) =>
        sum + (done ? 0n : gas * fees.now + rollupFee + call.value),
      0n,
    ),
    accounts: senders.map((address, index) => ({
      address,
      needs: costOf(
        priced.filter(({ from }) => from === address),
        fees.maxFeePerGas,
      ),
      holds: answered(held[index] as RpcOutcome<bigint>),
    })),
    ownerIsUsed: answered(code) !== '0x' || answered(balance) > 0n || answered(nonce) > 0,
  }
}

/** A contract that is created at another base fee, or a block later, may take a little more. */
export const withRoom = (gas: bigint): bigint => (gas * 5n) / 4n

/** Without the proxy the router is estimated as a creation of its own, which costs about the same. */
function estimateOf(
  { from, name, call }: Step,
  { design, hasProxy }: { design: Design; hasProxy: boolean },
) {
  const { deployer, creation } = design
  if (name === 'router' && !hasProxy)
    return estimateGas({ from: deployer, data: creation, value: 0n })
  return estimateGas({ from: from ?? deployer, ...call })
}

/** A router as the chain has it. */
export type StandingRouter = {
  readonly codeHash: Hex
  readonly owner: Address
  readonly isFeeSigner: boolean
}

/** Reads the router back. Its address proves what made it; owner and fee signer may have changed since. */
export async function readRouter(rpc: Rpc, design: Design): Promise<StandingRouter> {
  const router = { address: design.router, abi: swapRouterAbi } as const
  const [code, executor, owner, isFeeSigner] = await rpc.batch([
    getCode(design.router),
    readContract({ ...router, functionName: 'executor', args: [] }),
    readContract({ ...router, functionName: 'owner', args: [] }),
    readContract({ ...router, functionName: 'isFeeSigner', args: [design.feeSigner] }),
  ])
  if (!sameAddress(answered(executor), design.executor))
    throw unfit('The router has another executor than the one it makes.', {
      expected: design.executor,
      actual: answered(executor),
    })
  return {
    codeHash: keccak256(answered(code)),
    owner: answered(owner),
    isFeeSigner: answered(isFeeSigner),
  }
}
