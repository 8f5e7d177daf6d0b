import { erc20Abi } from '../../src/chain/abi/contracts.ts'
import { getBalance } from '../../src/chain/calls/account.ts'
import { readContract } from '../../src/chain/calls/readContract.ts'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import type { ReadyDocument } from '../../src/sandbox/readyDocument.ts'

/** What the treasury holds, read from the chain itself: ETH and every token of the world by symbol. */
export async function balances(rpc: Rpc, { tokens, wallets }: ReadyDocument) {
  const owner = wallets.treasury?.address
  if (owner === undefined) throw new Error('the world has a treasury')
  const held: Record<string, bigint> = { ETH: await rpc.request(getBalance(owner)) }
  for (const [symbol, { address }] of Object.entries(tokens))
    held[symbol] = await rpc.request(
      readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [owner] }),
    )
  return held
}
