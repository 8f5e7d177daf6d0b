import { describe, expect, test } from 'vitest'
import { draft } from '../../../src/bot/policy/draft.ts'
import { createPermit, type Policy } from '../../../src/bot/policy/permit.ts'
import type { Plan, Verified } from '../../../src/bot/stages.ts'
import type { Address, Token } from '../../../src/core/token.ts'

const token = (symbol: string, digit: string): Token => ({
  chainId: 1,
  address: `0x${digit.repeat(40)}`,
  symbol,
  decimals: 2,
})
const [weth, usdc, dai] = [token('WETH', '1'), token('USDC', '2'), token('DAI', '3')]
const wallet: Address = `0x${'a'.repeat(40)}`
const friend: Address = `0x${'b'.repeat(40)}`
const stranger: Address = `0x${'c'.repeat(40)}`
const policy: Policy = {
  tokens: [weth, usdc],
  recipients: [friend],
  perSwap: [{ token: weth, wei: 100n }],
  perDay: [{ token: weth, wei: 250n }],
  slippageBpsMax: 50,
}
const plan: Plan = {
  swapId: 's',
  key: 'k',
  strategy: 'test',
  intent: {
    sell: { token: weth, wei: 100n },
    buy: usdc,
    floor: { token: usdc, wei: 1n },
    reason: '',
  },
  wallet,
  recipient: wallet,
  slippageBps: 50,
  expirySeconds: 30,
  indication: undefined,
  notional: undefined,
}
const intent = (changes: Partial<Plan['intent']>) => ({ intent: { ...plan.intent, ...changes } })

describe('policy: permits', () => {
  const allowed: Record<string, [plan: Partial<Plan>, spent?: bigint]> = {
    'exactly the caps': [{}, 150n],
    'a listed recipient': [{ recipient: friend }],
    'a recipient in another case': [
      { recipient: wallet.toUpperCase().replace('X', 'x') as Address },
    ],
  }
  for (const [name, [changes, spent = 0n]] of Object.entries(allowed))
    test(name, () => {
      expect(draft({ ...plan, ...changes }, { policy, spent })).toMatchObject(changes)
    })
})

describe('policy: refuses', () => {
  const refused: Record<
    string,
    [code: string, plan: Partial<Plan>, spent?: bigint, Partial<Policy>?]
  > = {
    'a token that is not listed, sold': [
      'POLICY_TOKEN_SOLD',
      intent({ sell: { token: dai, wei: 1n } }),
    ],
    'a token that is not listed, bought': ['POLICY_TOKEN_BOUGHT', intent({ buy: dai })],
    'a recipient nobody listed': ['POLICY_RECIPIENT', { recipient: stranger }],
    'one unit more than a swap may sell': [
      'POLICY_PER_SWAP',
      intent({ sell: { token: weth, wei: 101n } }),
    ],
    nothing: ['POLICY_PER_SWAP', intent({ sell: { token: weth, wei: 0n } })],
    'a token without a cap': [
      'POLICY_PER_SWAP',
      intent({
        sell: { token: usdc, wei: 1n },
        buy: weth,
        floor: { token: weth, wei: 1n },
      }),
    ],
    'one unit more than a day may sell': ['POLICY_PER_DAY', {}, 151n],
    'everything, without a cap for the day': ['POLICY_PER_DAY', {}, 0n, { perDay: [] }],
    'more slippage than allowed': ['POLICY_SLIPPAGE', { slippageBps: 51 }],
    'a floor of nothing': ['POLICY_FLOOR', intent({ floor: { token: usdc, wei: 0n } })],
    'a floor in another token': ['POLICY_FLOOR', intent({ floor: { token: weth, wei: 10n } })],
    'anything, by an empty policy': ['POLICY_TOKEN_SOLD', {}, 0n, { tokens: [] }],
  }
  for (const [name, [code, changes, spent = 0n, bent = {}]] of Object.entries(refused))
    test(name, () => {
      const bounds = { policy: { ...policy, ...bent }, spent }
      expect(() => draft({ ...plan, ...changes }, bounds)).toThrow(
        expect.objectContaining({ code, fault: 'refused', stage: 'policy' }),
      )
    })
})

test('policy: after the quote the day is looked at again, without the swap itself', async () => {
  const asked: unknown[] = []
  const permit = createPermit({
    policy,
    spending: {
      spentPerDay: async (sold, except) => {
        asked.push([sold.symbol, except])
        return 151n
      },
    },
  })
  await expect(permit({ ...plan, checks: [] } as unknown as Verified)).rejects.toMatchObject({
    code: 'POLICY_PER_DAY',
  })
  expect(asked).toEqual([['WETH', 's']])
})
