import { encodeFunctionData, parseAbi, toHex } from 'viem'
import type { Hex } from '../../src/chain/calls/fields.ts'

type Call = { readonly to: Hex; readonly data: Hex }

const word = (value: number) => toHex(value, { size: 2 }).slice(2)

/** Stores each word of the data, then calls with all of them. */
function codeOf({ to, data }: Call): string {
  const words = data.slice(2).match(/.{1,64}/g) ?? []
  const stores = words.map((one, index) => `7f${one.padEnd(64, '0')}61${word(index * 32)}52`)
  return `${stores.join('')}6000600061${word(data.length / 2 - 1)}6000600073${to.slice(2)}5af150`
}

/**
 * Code of a contract that makes these calls, whatever it is called with. With `untilWord` the first word behind the selector
 * is a deadline, after which it reverts.
 */
export function codeThatCalls(calls: readonly Call[], { untilWord = false } = {}): Hex {
  const body = `${calls.map(codeOf).join('')}00`
  if (!untilWord) return `0x${body}`
  const guard = '60043542116100005700'.slice(0, -2)
  const end = (guard.length + body.length) / 2
  return `0x${guard.replace('610000', `61${word(end)}`)}${body}5b60006000fd`
}

/** A call that takes tokens of an account that approved its caller. */
export const takes = (token: Hex, from: Hex, { to, wei }: { to: Hex; wei: bigint }): Call => ({
  to: token,
  data: encodeFunctionData({
    abi: parseAbi(['function transferFrom(address, address, uint256) returns (bool)']),
    args: [from, to, wei],
  }),
})
