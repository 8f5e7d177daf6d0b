import { decodeFunctionData, parseAbi, toFunctionSelector } from 'viem'
import { z } from 'zod'
import type { Hex } from '../../chain/calls/fields.ts'
import type { Address } from '../../core/token.ts'

const transactionText = z.object({
  to: z.string().default(''),
  data: z.string().transform((text) => text as Hex),
})

const approve = parseAbi(['function approve(address spender, uint256 amount)'])
const selector = toFunctionSelector(approve[0])

/** What a stored transaction approves, addresses in lower case; undefined for what is no approval at all. */
export function approvalIn(
  transaction: string,
): { token: string; spender: Address; wei: bigint } | undefined {
  const { to, data } = transactionText.parse(JSON.parse(transaction))
  if (!data.startsWith(selector)) return undefined
  const [spender, wei] = decodeFunctionData({ abi: approve, data }).args
  return { token: to.toLowerCase(), spender: spender.toLowerCase() as Address, wei }
}
