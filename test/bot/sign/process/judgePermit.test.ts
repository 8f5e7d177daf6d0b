import { expect, test } from 'vitest'
import { judgePermit } from '../../../../src/bot/sign/process/judgePermit.ts'
import type { Eip2612Permit } from '../../../../src/chain/settlement/permit.ts'
import { usdc, weth } from '../../verify/goodQuote.ts'
import { limits, oneWeth, permit, recipient, wallet } from './signerCase.ts'

const now = 1_800_000_000_999
const judged = (change: Partial<Eip2612Permit> = {}, parts: Partial<typeof limits> = {}) =>
  judgePermit({ ...permit, ...change }, { wallet, limits: { ...limits, ...parts }, now })

const good: readonly [string, Partial<Eip2612Permit>][] = [
  ['the most of one transaction', {}],
  ['nothing of a token that is only bought', { token: usdc.address, wei: 0n }],
  ['one of ten minutes', { deadline: 1_800_000_600 }],
  ['one whose end has passed', { deadline: 0 }],
]
test.each(good)('%s is permitted', (_, change) => {
  expect(judged(change).wei).toBe(change.wei ?? oneWeth)
})

const bad: readonly [rule: string, string, Partial<Eip2612Permit>][] = [
  ['WRONG_CHAIN', 'another chain', { chainId: 1 }],
  ['WRONG_OWNER', 'another owner', { owner: recipient }],
  ['WRONG_SPENDER', 'another spender', { spender: recipient }],
  ['WRONG_SPENDER', 'the wallet itself', { spender: wallet }],
  ['UNKNOWN_TOKEN', 'a token that is not listed', { token: recipient }],
  ['ABOVE_PER_TRANSACTION', 'one unit above the limit', { wei: oneWeth + 1n }],
  ['ABOVE_PER_TRANSACTION', 'an amount without end', { wei: 2n ** 256n - 1n }],
  ['ABOVE_PER_TRANSACTION', 'a token that is only bought', { token: usdc.address, wei: 1n }],
  ['FAR_DEADLINE', 'one second more than ten minutes', { deadline: 1_800_000_601 }],
  ['FAR_DEADLINE', 'no end', { deadline: Number.MAX_SAFE_INTEGER }],
]
test.each(bad)('%s: %s is refused', (rule, _, change) => {
  expect(() => judged(change)).toThrow(
    expect.objectContaining({ code: 'SIGNER_REFUSED', facts: { rule } }),
  )
})

test('what may stand is for approvals: a permit is of one swap', () => {
  const tokens = [{ token: weth, perTransaction: oneWeth, perDay: oneWeth, standing: 9n * oneWeth }]
  expect(() => judged({ wei: oneWeth + 1n }, { tokens })).toThrow(
    expect.objectContaining({ facts: { rule: 'ABOVE_PER_TRANSACTION' } }),
  )
})
