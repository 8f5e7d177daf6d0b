import { erc20Abi } from '../chain/abi/contracts.ts'
import { readContract } from '../chain/calls/readContract.ts'
import { type Rpc, type RpcOutcome, saysNo } from '../chain/rpc/rpc.ts'
import { ballastError } from '../core/errors.ts'
import { isNative, type Token } from '../core/token.ts'

type Listed = {
  readonly tokens: readonly Token[]
  /** The name of the chain. */
  readonly chain: string
  /** Where the file says what a token is. */
  readonly at: (symbol: string) => string
}

/**
 * Holds each token to its contract. One that is not there, or counts in other units than the file states, makes every
 * amount wrong: throws TOKEN_NOT_ON_CHAIN.
 */
export async function assertTokens(rpc: Rpc, { tokens, ...where }: Listed): Promise<void> {
  const contracts = tokens.filter((token) => !isNative(token))
  const decimals = await rpc.batch(
    contracts.map(({ address }) =>
      readContract({ address, abi: erc20Abi, functionName: 'decimals', args: [] }),
    ),
  )
  for (const [index, token] of contracts.entries()) assertToken(token, decimals[index], where)
}

function assertToken(
  { symbol, address, decimals }: Token,
  seen: RpcOutcome<number> | undefined,
  { chain, at }: Omit<Listed, 'tokens'>,
): void {
  if (seen?.ok === true && seen.value === decimals) return
  if (seen?.ok === false && !saysNo(seen.error)) throw seen.error
  throw ballastError(
    'TOKEN_NOT_ON_CHAIN',
    seen?.ok === true
      ? `${symbol} has ${seen.value} decimals on ${chain}, but ${at(symbol)} says ${decimals}: write decimals: ${seen.value}.`
      : `There is no token ${symbol} at ${address} on ${chain}: correct the address at ${at(symbol)}.`,
  )
}
