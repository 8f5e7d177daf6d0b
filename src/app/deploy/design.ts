import { concat, encodeDeployData, encodeFunctionData, getContractAddress, maxUint256 } from 'viem'
import { swapRouterAbi } from '../../../contracts/abi/swapRouter.ts'
import routerArtifact from '../../../contracts/artifacts/SwapRouter.json' with { type: 'json' }
import type { Call } from '../../bot/stages.ts'
import { erc20Abi } from '../../chain/abi/contracts.ts'
import { getBalance, getCode } from '../../chain/calls/account.ts'
import type { Hex } from '../../chain/calls/fields.ts'
import { readContract } from '../../chain/calls/readContract.ts'
import { create2Proxy, keylessCreation } from '../../chain/create2Proxy.ts'
import type { Rpc, RpcOutcome } from '../../chain/rpc/rpc.ts'
import { answered } from '../../chain/rpc/rpc.ts'
import type { Address, Token } from '../../core/token.ts'

/** What a person wants to have on the chain. */
export type WantedDesk = {
  readonly deployer: Address
  readonly owner: Address
  readonly feeSigner: Address
  readonly wrapped: Token
  /** The zero address: the router runs no legs on such pools. */
  readonly v2Factory: Address
  readonly v3Factory: Address
  readonly makers: readonly Address[]
  /** Makers whose keys are here: they sign their own approvals. */
  readonly signing: readonly Address[]
  /** All that makers may sell. */
  readonly tokens: readonly Token[]
}

/** Where it will be, which follows from what it is. */
export type Design = WantedDesk & {
  readonly router: Address
  readonly executor: Address
  /** What creates the router: for the proxy behind a salt. */
  readonly creation: Hex
}

/** One transaction of a deployment. */
export type Step = {
  readonly name: string
  /** Undefined: the keyless creation, which no account of ours signs. */
  readonly from: Address | undefined
  readonly call: Call
  readonly done: boolean
}

/** The same things get the same address on every chain; another owner or key makes another router. */
const salt: Hex = `0x${'00'.repeat(32)}`

/** The router makes its executor in its constructor: the first contract of a contract has nonce 1. */
export function designOf(wanted: WantedDesk): Design {
  const { wrapped, v2Factory, v3Factory, owner, feeSigner } = wanted
  const creation = encodeDeployData({
    abi: swapRouterAbi,
    bytecode: routerArtifact.bytecode as Hex,
    args: [wrapped.address, v2Factory, v3Factory, owner, feeSigner],
  })
  const router = getContractAddress({
    opcode: 'CREATE2',
    from: create2Proxy.address,
    salt,
    bytecode: creation,
  })
  const executor = getContractAddress({ from: router, nonce: 1n })
  return { ...wanted, router, executor, creation }
}

/** Every step in its order, and whether the chain shows that it was carried out. */
export async function lookAt(rpc: Rpc, design: Design): Promise<readonly Step[]> {
  const { router, creation, deployer, signing, tokens } = design
  const approvals = signing.flatMap((maker) => tokens.map((token) => ({ maker, token })))
  const [proxy, funded, code, ...allowed] = await rpc.batch([
    getCode(create2Proxy.address),
    getBalance(keylessCreation.sender),
    getCode(router),
    ...approvals.map(({ maker, token }) => allowanceOf({ maker, token, router })),
  ])
  const hasProxy = answered(proxy) !== '0x'
  const missing = keylessCreation.cost - answered(funded)
  return [
    {
      name: 'money for the proxy',
      from: deployer,
      call: {
        to: keylessCreation.sender,
        data: '0x',
        value: hasProxy || missing < 0n ? 0n : missing,
      },
      done: hasProxy || missing <= 0n,
    },
    {
      name: 'proxy',
      from: undefined,
      call: { to: create2Proxy.address, data: '0x', value: 0n },
      done: hasProxy,
    },
    {
      name: 'router',
      from: deployer,
      call: { to: create2Proxy.address, data: concat([salt, creation]), value: 0n },
      done: answered(code) !== '0x',
    },
    ...approvals.map(({ maker, token }, index) => ({
      name: `${token.symbol} from ${maker}`,
      from: maker,
      call: approvalOf(token, router),
      // A maker's own, smaller allowance is its decision.
      done: answered(allowed[index] as RpcOutcome<bigint>) > 0n,
    })),
  ]
}

const allowanceOf = ({ maker, token, router }: { maker: Address; token: Token; router: Address }) =>
  readContract({
    address: token.address,
    abi: erc20Abi,
    functionName: 'allowance',
    args: [maker, router],
  })

const approvalOf = ({ address: to }: Token, router: Address): Call => ({
  to,
  value: 0n,
  data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [router, maxUint256] }),
})
