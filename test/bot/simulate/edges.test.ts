import { numberToHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { checkAnswers, checkBlock, revertName } from '../../../src/bot/simulate/checkBlock.ts'
import { checkStorage } from '../../../src/bot/simulate/checkStorage.ts'
import { checkWitness, type Testimony } from '../../../src/bot/simulate/checkWitness.ts'
import type { Permitted } from '../../../src/bot/stages.ts'
import type { Hex } from '../../../src/chain/calls/fields.ts'
import { slotOf } from '../../../src/chain/storage/layout.ts'
import { type Check, type Checklist, createChecklist, Refused } from '../../../src/core/check.ts'
import type { Address, Token } from '../../../src/core/token.ts'

// The edges of the simulation that no lie of a whole node comes near.
const hash = (digit: string): Hex => `0x${digit.repeat(64)}`
const address = (digit: string): Address => `0x${digit.repeat(40)}`

/** Names of the checks that failed. */
function failed(judge: (checks: Checklist) => void): readonly string[] {
  const checks = createChecklist('simulate')
  judge(checks)
  let all: readonly Check[]
  try {
    all = checks.conclude()
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    all = error.checks
  }
  return all.filter(({ ok }) => !ok).map(({ name }) => name)
}

const head = {
  number: 7,
  hash: hash('a'),
  parentHash: hash('b'),
  timestamp: 1_000,
  baseFeePerGas: 1n,
  gasLimit: 30_000_000n,
}

describe('one block', () => {
  const on = (base: { hash?: Hex; parentHash?: Hex }) =>
    failed((checks) =>
      checkBlock(
        { chainId: 1, head, bases: [{ number: 7, hash: base.hash, parentHash: base.parentHash }] },
        {
          bounds: { chainId: 1, headAgeSecondsMax: 60, timeToDeadlineSecondsMin: 8 },
          now: 1_000,
          deadline: 1_008,
        },
        checks,
      ),
    )

  test.for([
    ['neither hash is told', {}, []],
    ['both are the head’s', { hash: hash('a'), parentHash: hash('b') }, []],
    ['the block is another', { hash: hash('c') }, ['simulate.same-block']],
    ['its parent is another', { parentHash: hash('c') }, ['simulate.same-block']],
  ] as const)('%s', ([, base, expected]) => expect(on(base)).toEqual(expected))
})

test.for([
  [60, []],
  [61, ['simulate.head-age']],
  [-30, []],
  [-31, ['simulate.head-ahead']],
] as const)('a head of %i s, to the second', ([age, expected]) =>
  expect(
    failed((checks) =>
      checkBlock(
        { chainId: 1, head, bases: [] },
        {
          bounds: { chainId: 1, headAgeSecondsMax: 60, timeToDeadlineSecondsMin: 8 },
          now: head.timestamp + age,
          deadline: 1_008,
        },
        checks,
      ),
    ),
  ).toEqual(expected),
)

test('where nothing is asked, nothing is noted', () => {
  const checks = createChecklist('simulate')
  checkAnswers([], [], checks)
  expect(checks.conclude()).toEqual([])
})

test('the reason of a revert that is a bomb is its beginning and its length', () => {
  const bomb: Hex = `0x${'ab'.repeat(2_000)}`
  expect(revertName(bomb)).toBe(`${bomb.slice(0, 66)}… (4002 characters)`)
})

describe('two heads', () => {
  const call = { success: true, data: '0x', gasUsed: 1n } as const
  const seen = (changes: Partial<typeof head>): Testimony => ({
    sight: {
      ...{ chainId: 1, routerCodeHash: hash('d'), nonce: 1, tip: undefined, native: 0n },
      head: { ...head, ...changes },
      ...{ bases: [], late: call, extra: [] },
      now: { answers: [call], before: [], approved: [], swapped: call, after: [] },
      last: { before: call, swapped: call, after: call },
    },
    deltas: { spent: 1n, received: 1n, others: [] } as unknown as Testimony['deltas'],
  })
  const token: Token = { chainId: 1, address: address('1'), symbol: 'T', decimals: 18 }
  const permitted = {
    intent: { sell: { token, wei: 1n }, buy: token },
    minimum: { token, wei: 1n },
  } as unknown as Permitted
  const apart = (changes: Partial<typeof head>) =>
    failed((checks) => checkWitness(permitted, { own: seen({}), other: seen(changes) }, checks))

  test.for([
    ['the same block', {}, []],
    ['the next one', { number: 8, hash: hash('c'), parentHash: hash('a') }, []],
    [
      'the next one of another chain',
      { number: 8, hash: hash('c'), parentHash: hash('e') },
      ['simulate.witness-head'],
    ],
    ['the one before', { number: 6, hash: hash('b'), parentHash: hash('e') }, []],
    ['the one before of another chain', { number: 6, hash: hash('e') }, ['simulate.witness-head']],
    ['two blocks on', { number: 9, hash: hash('c') }, []],
    ['three blocks on', { number: 10, hash: hash('c') }, ['simulate.witness-head']],
  ] as const)('%s', ([, changes, expected]) => expect(apart(changes)).toEqual(expected))
})

describe('an allowance of the router', () => {
  const [wallet, router, buyer, stranger] = ['1', '2', '3', '4'].map(address) as [
    Address,
    Address,
    Address,
    Address,
  ]
  const token: Token = { chainId: 1, address: address('9'), symbol: 'WETH', decimals: 18 }
  const layout = (slot: number) => ({ base: numberToHex(slot, { size: 32 }), keyFirst: true })
  const permitted = {
    ...{ wallet, recipient: wallet, approvals: [], call: { to: router } },
    orders: [{ order: { buyer } }],
    swap: { widgetFee: { feeRecipient: stranger } },
    intent: { sell: { token, wei: 1n }, buy: token },
  } as unknown as Permitted
  const writesTo = (slots: readonly Hex[], changes: Partial<Permitted> = {}) => {
    const change = { account: token.address.toLowerCase(), slots, code: false, nonces: 0 }
    const marked = { account: router.toLowerCase(), slots: [], code: false, nonces: 0 }
    const layouts = new Map([
      [token.address, { balances: layout(0), allowances: layout(1), supply: new Set<Hex>() }],
    ])
    return failed((checks) =>
      checkStorage(
        { ...permitted, ...changes },
        {
          traced: { swap: [change, marked], approvals: [], layouts },
          ...{ executor: undefined, tokens: [token], untraced: [] },
        },
        checks,
      ),
    ).filter((name) => name === 'simulate.storage-writes')
  }
  const writes = (owner: Address) => writesTo([slotOf(layout(1), [owner, router])])

  test.for([
    ['the wallet', wallet, []],
    ['a buyer', buyer, []],
    ['the fee’s recipient', stranger, ['simulate.storage-writes']],
    ['the router itself', router, ['simulate.storage-writes']],
  ] as const)('of %s', ([, owner, expected]) => expect(writes(owner)).toEqual(expected))

  const named = buyer.slice(2)
  test.for<readonly [string, Hex, readonly string[]]>([
    ['in the first bytes of its call', `0x${named}abab`, []],
    ['in the last bytes of it', `0xabab${named}`, []],
    ['in no bytes of it', `0xabab${named.slice(2)}`, ['simulate.storage-writes']],
  ])('or a balance of an account that a foreign router is told %s', ([, data, expected]) => {
    const call = { to: router, data, value: 0n }
    const foreign: Partial<Permitted> = { swap: undefined, orders: [], call }
    expect(writesTo([slotOf(layout(0), [buyer])], foreign)).toEqual(expected)
    expect(writesTo([slotOf(layout(1), [buyer, router])], foreign)).toEqual(expected)
  })
})
