import { type Abi, encodeDeployData, encodeFunctionData, getContractAddress } from 'viem'
import type { LocalAccount } from 'viem/accounts'
import type { Hex } from '../chain/calls/fields.ts'
import type { Address } from '../core/token.ts'
import type { Artifact } from './artifact.ts'

/** Signs the transactions of one account in order, every field its own. Sending them is the caller's. */
export type SandboxSigner = {
  readonly address: Address
  deploy(artifact: Artifact, args: readonly unknown[]): Promise<{ address: Address; raw: Hex }>
  call(contract: Address, abi: Abi, functionName: string, args: readonly unknown[]): Promise<Hex>
  pay(to: Address, wei: bigint): Promise<Hex>
  send(to: Address, data: Hex): Promise<Hex>
}

type Options = {
  readonly account: LocalAccount
  readonly chainId: number
  /** Of the first transaction. */
  readonly nonce: number
  /** Above a bot's usual tip: these come first in a block. */
  readonly tip?: bigint
}

/** The most expensive of them, the router, needs 6 million. */
const gas = 12_000_000n
const maxFeePerGas = 1_000_000_000_000n

export function createSandboxSigner({
  account,
  chainId,
  nonce,
  tip = 1_000_000_000n,
}: Options): SandboxSigner {
  let next = nonce
  const sign = (fields: { to?: Address; data?: Hex; value?: bigint }) => {
    const transaction = {
      ...fields,
      type: 'eip1559' as const,
      chainId,
      nonce: next,
      gas,
      maxFeePerGas,
      maxPriorityFeePerGas: tip,
    }
    next += 1
    return account.signTransaction(transaction)
  }
  return {
    address: account.address,
    async deploy({ abi, bytecode }, args) {
      const address = getContractAddress({ from: account.address, nonce: BigInt(next) })
      return { address, raw: await sign({ data: encodeDeployData({ abi, bytecode, args }) }) }
    },
    call: (to, abi, functionName, args) =>
      sign({ to, data: encodeFunctionData({ abi, functionName, args }) }),
    pay: (to, value) => sign({ to, value }),
    send: (to, data) => sign({ to, data }),
  }
}
