import { type Address, isNative, type Token } from '../../core/token.ts'
import { erc20Abi } from '../abi/contracts.ts'
import type { RpcCall } from '../rpc/rpc.ts'
import { getBalance } from './account.ts'
import type { BlockId } from './fields.ts'
import { readContract } from './readContract.ts'

/** What an account holds of a token, the chain's own currency included, in its smallest unit. */
export const getBalanceOf = (
  token: Token,
  owner: Address,
  block: BlockId = 'latest',
): RpcCall<bigint> =>
  isNative(token)
    ? getBalance(owner, block)
    : readContract({
        address: token.address,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [owner],
        block,
      })
