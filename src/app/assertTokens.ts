import { erc20Abi } from '../chain/abi/contracts.ts'
import { readContract } from '../chain/calls/readContract.ts'
import { type Rpc, saysNo } from '../chain/rpc/rpc.ts'
import type { Config } from '../config/config.ts'
import { ballastError } from '../core/errors.ts'
import { isNative, type Token } from '../core/token.ts'

type Place = {
  /** The name of the chain. */
  readonly chain: string
  /** Where the file says what a token is. */
  readonly at: (symbol: string) => string
}

type Listed = Place & { readonly tokens: readonly Token[] }

/** Where the file says what the tokens of a configuration are. */
export const placeOf = ({ chain, locate }: Pick<Config, 'chain' | 'locate'>) => ({
  chain: chain.name,
  at: (symbol: string) => locate(['tokens', symbol]),
})

/**
 * Holds each token to its contract. One that is not there, or counts in other units than the file states, makes every
 * amount wrong: throws TOKEN_NOT_ON_CHAIN.
 */
export async function assertTokens(rpc: Rpc, listed: Listed): Promise<void> {
  assertPresent(await absentTokens(rpc, listed), listed)
}

/**
 * The tokens that do not tell their decimals. Throws TOKEN_NOT_ON_CHAIN for one that tells others than the file.
 */
export async function absentTokens(
  rpc: Rpc,
  { tokens, chain, at }: Listed,
): Promise<readonly Token[]> {
  const told = await readDecimals(rpc, tokens)
  return told.flatMap(({ token, seen }) => {
    if (seen === undefined) return [token]
    const { symbol, decimals } = token
    if (seen === decimals) return []
    throw ballastError(
      'TOKEN_NOT_ON_CHAIN',
      `${symbol} has ${seen} decimals on ${chain}, but ${at(symbol)} says ${decimals}: write decimals: ${seen}.`,
    )
  })
}

/** Those that do not tell the decimals of the file: one that comes back with others is traded no more than before. */
export async function stillAbsent(rpc: Rpc, tokens: readonly Token[]): Promise<readonly Token[]> {
  const told = await readDecimals(rpc, tokens)
  return told.flatMap(({ token, seen }) => (seen === token.decimals ? [] : [token]))
}

/** Of each token with a contract; undefined where it does not tell. */
async function readDecimals(rpc: Rpc, tokens: readonly Token[]) {
  const contracts = tokens.filter((token) => !isNative(token))
  const outcomes = await rpc.batch(
    contracts.map(({ address }) =>
      readContract({ address, abi: erc20Abi, functionName: 'decimals', args: [] }),
    ),
  )
  return contracts.map((token, index) => {
    const outcome = outcomes[index]
    if (outcome?.ok === false && !saysNo(outcome.error)) throw outcome.error
    return { token, seen: outcome?.ok === true ? outcome.value : undefined }
  })
}

/** Throws TOKEN_NOT_ON_CHAIN for the first of them. */
export function assertPresent([absent]: readonly Token[], { chain, at }: Place): void {
  if (absent === undefined) return
  const { symbol, address } = absent
  throw ballastError(
    'TOKEN_NOT_ON_CHAIN',
    `There is no token ${symbol} at ${address} on ${chain}: correct the address at ${at(symbol)}, or take the token out.`,
  )
}
