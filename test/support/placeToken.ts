import { readFileSync } from 'node:fs'
import { type Hex, numberToHex } from 'viem'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import type { Fork } from './forkOrigin.ts'

/** Puts a contract's code in the place of a token that is in use; who holds what stays in its slots. */
export async function placeToken(
  { ready, rpc }: Pick<Fork, 'ready' | 'rpc'>,
  symbol: string,
  contract: 'RoundingToken' | 'VotesToken' | 'MoodyPermitToken',
) {
  const { address = '0x', decimals = 0 } = ready.tokens[symbol] ?? {}
  await rpc.request(anvilCalls.setCode(address, codeOf(contract)))
  const store = (slot: number | Hex, value: bigint) =>
    rpc.request({
      method: 'anvil_setStorageAt',
      params: [
        address,
        typeof slot === 'string' ? slot : numberToHex(slot),
        numberToHex(value, { size: 32 }),
      ],
      parse: (answer) => answer,
    })
  await store(6, BigInt(decimals))
  return { address, store }
}

/** The code of a contract as it is deployed. */
export function codeOf(contract: string): Hex {
  const file = new URL(`../../contracts/artifacts/${contract}.json`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')).deployedBytecode
}
