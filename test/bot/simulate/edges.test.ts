import { encodeErrorResult, numberToHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { swapRouterAbi } from '../../../contracts/abi/swapRouter.ts'
import { checkAnswers, checkBlock, revertName } from '../../../src/bot/simulate/checkBlock.ts'
import { checkStorage } from '../../../src/bot/simulate/checkStorage.ts'
import { checkWitness, type Testimony } from '../../../src/bot/simulate/checkWitness.ts'
import { tracesOf } from '../../../src/bot/simulate/traces.ts'
import type { Permitted } from '../../../src/bot/stages.ts'
import type { Hex } from '../../../src/chain/calls/fields.ts'
import type { StorageChange } from '../../../src/chain/calls/traces.ts'
import { slotOf } from '../../../src/chain/storage/layout.ts'
import { type Check, type Checklist, createChecklist, Refused } from '../../../src/core/check.ts'
import { type Address, nativeAddress, type Token } from '../../../src/core/token.ts'

// The edges of the simulation that no lie of a whole node comes near.
const hash = (digit: string): Hex => `0x${digit.repeat(64)}`
const address = (digit: string): Address => `0x${digit.repeat(40)}`

/** Every check, held or not. */
function noted(judge: (checks: Checklist) => void): readonly Check[] {
  const checks = createChecklist('simulate')
  judge(checks)
  try {
    return checks.conclude()
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return error.checks
  }
}

/** Names of the checks that failed. */
const failed = (judge: (checks: Checklist) => void): readonly string[] =>
  noted(judge)
    .filter(({ ok }) => !ok)
    .map(({ name }) => name)

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

test.for<readonly [string, Hex, string]>([
  ['none', '0x', 'no reason'],
  ['no error of the router', '0x1234', '0x1234'],
  [
    'one of the router’s',
    encodeErrorResult({ abi: swapRouterAbi, errorName: 'OrderExpired', args: [0n, 5n] }),
    'OrderExpired(0, 5)',
  ],
  ['the longest of a token', `0x${'a'.repeat(2_046)}`, `0x${'a'.repeat(198)}…`],
  ['a longer one', `0x${'a'.repeat(2_047)}`, `0x${'a'.repeat(64)}… (2049 characters)`],
])('the reason of a revert: %s', ([, data, expected]) => expect(revertName(data)).toBe(expected))

describe('two heads', () => {
  const call = { success: true, data: '0x', gasUsed: 1n } as const
  const seen = (changes: Partial<typeof head>): Testimony => ({
    sight: {
      ...{ chainId: 1, routerCodeHash: hash('d'), nonce: 1, tip: undefined, native: 0n },
      head: { ...head, ...changes },
      ...{ bases: [], late: call, extra: [], bytes: { fee: undefined, gas: undefined } },
      now: { answers: [call], before: [], approved: [], swapped: call, after: [], allowance: call },
      last: { before: call, swapped: call, after: call },
    },
    deltas: { unreadable: [], silent: [], spent: 1n, received: 1n, others: [] },
  })
  const token: Token = { chainId: 1, address: address('1'), symbol: 'T', decimals: 18 }
  const permitted = {
    intent: { sell: { token, wei: 1n }, buy: token },
    minimum: { token, wei: 1n },
  } as unknown as Permitted
  test('a token that is silent at one of them alone is a contradiction', () => {
    const silent = ({ deltas, ...rest }: Testimony) => ({
      ...rest,
      deltas: { ...deltas, silent: [token] },
    })
    const [own, other] = [seen({}), silent(seen({}))]
    expect(apart({}, own, other)).toEqual(['simulate.witness-balances-readable'])
    expect(apart({}, silent(own), other)).toEqual([])
  })

  /** Our nonce is the one that the books give next. */
  const apart = (changes: Partial<typeof head>, own = seen({}), other = seen(changes)) =>
    failed((checks) => checkWitness(permitted, { own, other, nextNonce: 1 }, checks))

  test.for([
    [10n, 20n, []],
    [20n, 10n, []],
    [10n, 21n, ['simulate.witness-base-fee']],
    [21n, 10n, ['simulate.witness-base-fee']],
  ] as const)('a base fee of %i wei, and of %i', ([ours, theirs, expected]) =>
    expect(apart({ baseFeePerGas: theirs }, seen({ baseFeePerGas: ours }))).toEqual(expected),
  )

  test('in two blocks each must show the minimum', () => {
    const next = { number: 9, hash: hash('c') }
    const short = ({ sight, deltas }: Testimony) => ({ sight, deltas: { ...deltas, received: 0n } })
    expect(apart(next, short(seen({})))).toEqual(['simulate.witness-received'])
    expect(apart(next, seen({}), short(seen(next)))).toEqual(['simulate.witness-received'])
  })

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
    ['ten blocks in no time', { number: 17, hash: hash('c') }, []],
    ['eleven blocks in no time', { number: 18, hash: hash('c') }, ['simulate.witness-head']],
    ['three fast blocks on', { number: 10, hash: hash('c'), timestamp: head.timestamp + 10 }, []],
    [
      'three blocks and eleven seconds on',
      { number: 10, hash: hash('c'), timestamp: head.timestamp + 11 },
      ['simulate.witness-head'],
    ],
  ] as const)('%s', ([, changes, expected]) => expect(apart(changes)).toEqual(expected))

  /** A witness at another nonce than our 1. It has no approval either: to it the swap reverts. */
  const at = (changes: Partial<typeof head>, sight: Partial<Testimony['sight']>): Testimony => {
    const { sight: seenSight, deltas } = seen(changes)
    const now = { ...seenSight.now, swapped: { ...call, success: false } }
    return { sight: { ...seenSight, now, ...sight }, deltas: { ...deltas, received: 0n } }
  }
  const away = ['simulate.witness-reachable']
  const disagrees = ['simulate.witness-nonce', 'simulate.witness-swap', 'simulate.witness-received']
  const back = { number: 4, hash: hash('c'), timestamp: head.timestamp - 6 }
  const parent = { number: 6, hash: hash('b'), parentHash: hash('e') }
  test.for<readonly [string, Partial<typeof head>, Partial<Testimony['sight']>, readonly string[]]>(
    [
      ['that is three blocks behind our last transaction is away', back, { nonce: 0 }, away],
      [
        'that is a minute behind it',
        { ...back, timestamp: head.timestamp - 60 },
        { nonce: 0 },
        away,
      ],
      ['that is one block behind it', parent, { nonce: 0 }, away],
      [
        'that is more than a minute behind it disagrees',
        { ...back, timestamp: head.timestamp - 61 },
        { nonce: 0 },
        ['simulate.witness-head', ...disagrees],
      ],
      [
        'that is behind, and on a block that is not our parent, disagrees',
        { ...parent, hash: hash('e') },
        { nonce: 0 },
        ['simulate.witness-head', ...disagrees],
      ],
      ['that is behind and knows more transactions', back, { nonce: 2 }, disagrees],
      ['that knows as many', back, { nonce: 1 }, disagrees.slice(1)],
      ['that lacks one in our own block', {}, { nonce: 0 }, disagrees],
      ['that lacks one in a later block', { number: 9, hash: hash('c') }, { nonce: 0 }, disagrees],
      [
        'that is behind on another chain',
        back,
        { nonce: 0, chainId: 2 },
        ['simulate.witness-chain-id', ...away],
      ],
      [
        'that is behind with another router',
        back,
        { nonce: 0, routerCodeHash: hash('e') },
        ['simulate.witness-router-code', ...away],
      ],
    ],
  )('a witness %s', ([, changes, sight, expected]) =>
    expect(apart({}, seen({}), at(changes, sight))).toEqual(expected),
  )

  test('a nonce of ours that the books do not give next excuses no witness', () => {
    const [own, other] = [seen({}), at(back, { nonce: 0 })]
    for (const nextNonce of [0, 2, undefined])
      expect(
        failed((checks) => checkWitness(permitted, { own, other, nextNonce }, checks)),
      ).toEqual(disagrees)
  })
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
  const write = (account: Address, slots: readonly Hex[]) => ({
    ...{ account: account.toLowerCase(), slots, code: false, nonces: 0 },
  })
  const other: Token = { ...token, address: address('8'), symbol: 'DAI' }
  const judge = (swap: readonly StorageChange[], changes: Partial<Permitted> = {}) => {
    const layouts = new Map([
      [token.address, { balances: layout(0), allowances: layout(1), supply: new Set<Hex>() }],
    ])
    return noted((checks) =>
      checkStorage(
        { ...permitted, ...changes },
        {
          traced: { swap, approvals: [], layouts },
          ...{ executor: undefined, tokens: [token, other], untraced: [] },
        },
        checks,
      ),
    )
  }
  const writesTo = (slots: readonly Hex[], changes: Partial<Permitted> = {}) =>
    judge([write(token.address, slots), write(router, [])], changes)
      .filter(({ name, ok }) => !ok && name === 'simulate.storage-writes')
      .map(({ name }) => name)
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

  const zeros: Address = `0x${'12'.repeat(4)}${'0'.repeat(12)}${'34'.repeat(10)}`
  test.for<readonly [string, Hex, Address, readonly string[]]>([
    ['in its middle', `0xabab${named}abab`, buyer, []],
    ['by what is left of it', `0xab${named}`, `0x${named.slice(4)}`, ['simulate.storage-writes']],
    ['by fewer bytes', `0xabcd${named}`, `0x00${named.slice(2)}`, ['simulate.storage-writes']],
    ['with a run of zeros', zeros, zeros, ['simulate.storage-writes']],
    ['by no bytes at all', '0x12', address('0'), ['simulate.storage-writes']],
  ])('or an account that it names %s', ([, data, owner, expected]) => {
    const foreign: Partial<Permitted> = {
      swap: undefined,
      orders: [],
      call: { to: router, data, value: 0n },
    }
    expect(writesTo([slotOf(layout(0), [owner])], foreign)).toEqual(expected)
  })

  test('of a configured token that has no part in the swap is none, and is named', () => {
    const [stray] = judge([write(other.address, [hash('5')]), write(router, [hash('6')])]).filter(
      ({ ok }) => !ok,
    )
    expect(stray).toMatchObject({ name: 'simulate.storage-writes', actual: `DAI ${hash('5')}` })
  })

  test.for([
    ['the router’s own', {}, [write(router, [hash('6')])], true],
    ['none of the router’s', {}, [write(router, []), write(token.address, [hash('6')])], false],
    [
      'a foreign router moves a token',
      { swap: undefined },
      [write(token.address, [hash('6')])],
      true,
    ],
    ['a foreign router moves none', { swap: undefined }, [write(router, [hash('6')])], false],
  ] as const)('the mark that a swap was settled: %s', ([, changes, swap, isSettled]) => {
    const call = { to: router, data: '0x', value: 0n } as const
    const all = judge(swap, { ...changes, call })
    expect(all.find(({ name }) => name === 'simulate.swap-traced')?.ok).toBe(isSettled)
  })

  test('a swap without approvals has no writes of theirs; a wallet that is not written has its nonce', () => {
    const all = judge([write(router, [hash('6')])])
    expect(all.map(({ name }) => name)).not.toContain('simulate.approval-writes')
    expect(all.find(({ name }) => name === 'simulate.wallet-nonce')?.actual).toBe('risen by 0')
  })
})

describe('what is traced', () => {
  const token: Token = { chainId: 1, address: address('9'), symbol: 'WETH', decimals: 18 }
  const coin: Token = { ...token, address: nativeAddress, symbol: 'ETH' }
  const [wallet, router] = [address('1'), address('2')]
  const slot = hash('5')
  const step = { to: token.address, data: '0x', value: 0n } as const
  const permitted = {
    ...{ wallet, approvals: [], allowanceSlot: slot, orders: [], swap: { amountIn: 7n } },
    ...{
      call: { to: router, data: '0x12', value: 0n },
      intent: { sell: { token, wei: 7n }, buy: token },
    },
  } as unknown as Permitted
  const traced = (changes: Partial<Permitted>) => {
    const traces = tracesOf(
      { ...permitted, ...changes },
      {
        ...{ untraced: [], watched: [token, coin], wrapped: token.address },
        gas: 5n,
        gasPrice: 1n,
      },
    )
    return { ...traces, params: traces.calls.map(({ params }) => JSON.stringify(params)) }
  }
  const allows = (wei: string) => `"stateDiff":{"${slot}":"0x${wei.padStart(64, '0')}"}`

  test('a swap on the storage as it is, or with its allowance in it', () => {
    const [alone] = traced({}).params
    expect(alone).toContain('"data":"0x12"')
    expect(alone).not.toContain('stateDiff')
    expect(traced({ allowanceSlot: undefined }).params).toEqual([alone])
    expect(traced({ approvals: [step] }).params[0]).toContain(allows('7'))
  })

  test('approvals, the second on an allowance of zero', () => {
    const [, first, second] = traced({ approvals: [step, step] }).params
    expect(first).not.toContain('stateDiff')
    expect(second).toContain(allows('0'))
  })

  test('no swap before an approval whose slot is not known', () => {
    const { params, read } = traced({ approvals: [step, step], allowanceSlot: undefined })
    expect(params.join()).not.toContain('"data":"0x12"')
    expect(params.join()).not.toContain('stateDiff')
    expect(read([[], []])).toMatchObject({ swap: undefined, approvals: [[], []] })
  })

  test('the views of every configured token for a foreign router, each with a million gas', () => {
    const { params, read } = traced({ swap: undefined })
    expect(params.slice(1).map((one) => one.includes('"gas":"0xf4240"'))).toEqual([true, true])
    expect([...read([[], new Map(), new Map()]).layouts.keys()]).toEqual([token.address])
  })
})
