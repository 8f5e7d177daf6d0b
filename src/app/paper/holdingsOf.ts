import { erc20Abi } from '../../chain/abi/contracts.ts'
import { getBalance } from '../../chain/calls/account.ts'
import { readContract } from '../../chain/calls/readContract.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { Config } from '../../config/config.ts'
import type { Amount } from '../../core/amount.ts'
import { isNative } from '../../core/token.ts'

/** What the wallet really holds of each configured token. Throws where the node leaves one out. */
export async function holdingsOf(
  { tokens, wallet }: Pick<Config, 'tokens' | 'wallet'>,
  rpc: Rpc,
): Promise<readonly Amount[]> {
  const listed = [...tokens.bySymbol.values()]
  const outcomes = await rpc.batch(
    listed.map((token) =>
      isNative(token)
        ? getBalance(wallet.address)
        : readContract({
            address: token.address,
            abi: erc20Abi,
            functionName: 'balanceOf',
            args: [wallet.address],
          }),
    ),
  )
  return listed.map((token, index) => {
    const outcome = outcomes[index]
    if (outcome?.ok === true) return { token, wei: outcome.value }
    throw outcome?.error ?? new Error(`a batch left out the balance of ${token.symbol}`)
  })
}
