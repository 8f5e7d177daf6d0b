import { getAddress, pad, slice, toEventSelector } from 'viem'
import { erc20Abi } from '../chain/abi/contracts.ts'
import type { Hex } from '../chain/calls/fields.ts'
import { findLogs } from '../chain/calls/findLogs.ts'
import { readContract } from '../chain/calls/readContract.ts'
import { type Rpc, RpcGarbled, RpcRefused } from '../chain/rpc/rpc.ts'
import { type Address, sameAddress } from '../core/token.ts'

/** What a spender may take of a token now. */
export type ChainAllowance = {
  readonly token: Address
  readonly spender: Address
  readonly wei: bigint
}

type Pair = Pick<ChainAllowance, 'token' | 'spender'>

/** What stands, and of which the node did not say: that may stand as well. */
export type AllowancesRead = {
  readonly standing: readonly ChainAllowance[]
  readonly unread: readonly Pair[]
}

const approval = toEventSelector('Approval(address,address,uint256)')

/** Calls of one batch. */
const batchMax = 50

/**
 * Every allowance of the wallet that stands at a block, by the approvals in the chain's logs from another block on: to
 * whomever, and whoever sent them. A contract can log what it likes, so each is read from the token itself; one that
 * reverts, or is none, has no allowance.
 */
export async function allowancesOnChain(
  rpc: Rpc,
  { wallet, from, to }: { wallet: Address; from: number; to: number },
): Promise<AllowancesRead> {
  const topics = [approval, pad(wallet, { size: 32 })]
  const logs = await findLogs(rpc, { topics, from, to })
  const pairs = new Map(
    logs.flatMap(({ address, topics: [, , spender, id] }) =>
      // With a fourth topic it is a token that cannot be divided, and its number.
      spender === undefined || id !== undefined
        ? []
        : [[`${address} ${spender}`.toLowerCase(), { token: address, spender: ofTopic(spender) }]],
    ),
  )
  return readAllowances(rpc, { wallet, block: to, pairs: [...pairs.values()] })
}

const ofTopic = (topic: Hex): Address => getAddress(slice(topic, 12))

/** Those of the pairs that are not nothing at a block. */
export async function readAllowances(
  rpc: Rpc,
  {
    wallet,
    block,
    pairs,
  }: {
    wallet: Address
    block: number | 'latest'
    pairs: readonly Pair[]
  },
): Promise<AllowancesRead> {
  const standing: ChainAllowance[] = []
  const unread: Pair[] = []
  for (let from = 0; from < pairs.length; from += batchMax) {
    const part = pairs.slice(from, from + batchMax)
    const outcomes = await rpc.batch(
      part.map(({ token: address, spender }) =>
        readContract({
          ...{ address, abi: erc20Abi, functionName: 'allowance', block },
          args: [wallet, spender],
        }),
      ),
    )
    for (const [index, { token, spender }] of part.entries()) {
      const seen = outcomes[index]
      if (seen?.ok === true && seen.value > 0n) standing.push({ token, spender, wei: seen.value })
      if (seen?.ok === false && !reverted(seen.error)) {
        if (!(seen.error instanceof RpcRefused || seen.error instanceof RpcGarbled))
          throw seen.error
        unread.push({ token, spender })
      }
    }
  }
  return { standing, unread }
}

/** Whether the contract itself refused, or there is none: any other refusal is the node's, and says nothing of it. */
const reverted = (error: unknown): boolean =>
  error instanceof RpcRefused
    ? error.data !== undefined || error.rpcCode === 3 || revertWords.test(error.rpcMessage)
    : error instanceof RpcGarbled && error.shape !== undefined

const revertWords = /revert|invalid (opcode|jump)|out of gas|stack (under|over)flow/i

export const isSamePair = (one: Pair, other: Pair): boolean =>
  sameAddress(one.token, other.token) && sameAddress(one.spender, other.spender)
