import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { straysOf } from '../../../src/bot/simulate/strays.ts'
import { type Permitted, pass } from '../../../src/bot/stages.ts'
import { nonceSlotOf, permit2Address } from '../../../src/chain/settlement/permit2.ts'
import { slotOf } from '../../../src/chain/storage/layout.ts'
import type { Address } from '../../../src/core/token.ts'

const address = (digit: string): Address => `0x${digit.repeat(40)}`
const [wallet, router, token, maker] = ['a', 'b', 'c', 'd'].map(address) as [
  Address,
  Address,
  Address,
  Address,
]
const sold = { chainId: 1, address: token, symbol: 'SOLD', decimals: 18 }
const nonce = 5n * 256n + 7n
const signedPermit = { nonce, deadline: 1n, signature: '0x' as Hex }
const permitted = pass<Permitted>({
  ...{ wallet, recipient: wallet, call: { to: router, data: '0x', value: 0n }, swap: {} },
  ...{ orders: [{ order: { buyer: maker } }], intent: { sell: { token: sold, wei: 1n } } },
  signedPermit,
} as unknown as Permitted)

const base = (slot: number): Hex => `0x${slot.toString(16).padStart(64, '0')}`
const layout = {
  balances: { base: base(3), keyFirst: true },
  allowances: { base: base(4), keyFirst: true },
  supply: new Set<Hex>(),
}
const allowanceOf = (owner: Address, spender: Address) =>
  slotOf(layout.allowances, [owner, spender])

/** The slots that are strange of those that a swap writes. */
function strangeIn(account: Address, slots: readonly Hex[], changes: Partial<Permitted> = {}) {
  const key = account.toLowerCase()
  return straysOf(
    { ...permitted, swap: { widgetFee: { feeRecipient: router } }, ...changes } as Permitted,
    {
      traced: {
        swap: [{ account: key, slots, code: false, nonces: 0 }] as never,
        approvals: [],
        layouts: new Map([[token, layout]]),
      },
      ...{ executor: undefined, tokens: [sold], untraced: [] },
    },
  ).map(({ slot }) => slot)
}

test('Permit2: the swap marks its own nonce there, and nothing else of anybody', () => {
  const own = nonceSlotOf(wallet, nonce)
  const others = [nonceSlotOf(maker, nonce), nonceSlotOf(wallet, nonce + 256n), base(1)]
  expect(strangeIn(permit2Address, [own, ...others])).toEqual(others)
})

test('Permit2: of the token sold the wallet’s allowance of Permit2 is used, and the router’s is not', () => {
  const [used, kept] = [allowanceOf(wallet, permit2Address), allowanceOf(wallet, router)]
  const ofMaker = allowanceOf(maker, router)
  expect(strangeIn(token, [used, kept, ofMaker])).toEqual([kept])
})

test('without a transfer it is the other way round, and Permit2 is nobody’s concern', () => {
  const [kept, used] = [allowanceOf(wallet, permit2Address), allowanceOf(wallet, router)]
  expect(strangeIn(token, [used, kept], { signedPermit: undefined })).toEqual([kept])
  expect(strangeIn(permit2Address, [base(1)], { signedPermit: undefined })).toEqual([])
})
