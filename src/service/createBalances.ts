import { erc20Abi } from '../chain/abi/contracts.ts'
import { getBalance } from '../chain/calls/account.ts'
import { readContract } from '../chain/calls/readContract.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { BallastError } from '../core/errors.ts'
import { type Address, isNative, type Token } from '../core/token.ts'
import type { Snapshot } from './createSnapshots.ts'
import { QuoteRefused } from './refusal/errors.ts'

/** Reads a taker's balance at the block of a snapshot; once for each taker, token and block. */
export function createBalances(rpc: Rpc) {
  let hash: string | undefined
  let known = new Map<string, Promise<bigint>>()

  return async ({ block }: Snapshot, { token, taker }: { token: Token; taker: Address }) => {
    if (block.hash !== hash) known = new Map()
    hash = block.hash
    const question = `${token.address}:${taker}`.toLowerCase()
    const asked = known.get(question) ?? rpc.request(call({ token, taker, hash: block.hash }))
    known.set(question, asked)
    try {
      return await asked
    } catch (error) {
      if (!(error instanceof BallastError)) throw error
      known.delete(question)
      throw new QuoteRefused('STALE_STATE', 'The balance of from_address cannot be read now.', {
        reason: error.summary,
      })
    }
  }
}

function call({
  token,
  taker,
  hash,
}: {
  token: Token
  taker: Address
  hash: Snapshot['block']['hash']
}) {
  const block = { blockHash: hash }
  if (isNative(token)) return getBalance(taker, block)
  const { address } = token
  return readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [taker], block })
}
