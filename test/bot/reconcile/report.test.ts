import { zeroAddress } from 'viem'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { BookedAttempt, BookedSwap } from '../../../src/bot/books.ts'
import type { LimitEntry } from '../../../src/bot/spent.ts'
import { findTransactions } from '../../../src/chain/calls/findTransactions.ts'
import { RpcRefused } from '../../../src/chain/rpc/rpc.ts'
import { ballastError } from '../../../src/core/errors.ts'
import { nativeAddress } from '../../../src/core/token.ts'
import {
  attempt,
  blockHash,
  bookedAllowance,
  books,
  type Chain,
  chain,
  codes,
  dead,
  eth,
  hash,
  included,
  look,
  type Mined,
  open,
  other,
  pages,
  reset,
  router,
  settled,
  swapOf,
  swapped,
  token,
  transfer,
  usd,
  wallet,
} from './fewSwaps.ts'

// A whole reconciliation: every count, and what each defect breaks.
vi.mock(import('../../../src/chain/calls/findTransactions.ts'))
beforeEach(reset)

describe('books in order', () => {
  test('hold, and each invariant says by what', async () => {
    const found = await look()
    expect(found).toMatchObject({
      block: 18,
      head: 'block 20',
      verdicts: {},
      breaks: [],
      unknown: [],
    })
    expect(found.evidence).toEqual({
      I1: '3 nonces from 2 on: 3 of one attempt each',
      I2: "1 dead swaps by receipt and by the router's word, 3 in all",
      I3: '3 swaps, 5 signed transactions',
      I4: '0 quotes, each after everything signed before it was decided',
      I5: '1 settled swaps as their events say, 1 of them by balances too; 2 gas bills',
      I6: '0 swaps count, 0 USD of 9 USD in 24 hours; 3 limits',
      I7: '1 swap is open',
      I8: '1 allowance was ever given; on record: 4 USD left by settled; the logs were searched for others',
      I9: '5 signed transactions, 0 of them without a swap of the log',
      I10: '12 entries, head ab',
      I11: '1 settled swaps',
      I12: 'no nonce was ever released',
      I13: 'each is the sum of its swaps',
    })
  })

  test('of a part of them say from where on', async () => {
    books.log = { ...books.log, after: 1 }
    const { evidence } = await look(40)
    expect(evidence).toMatchObject({
      I1: '3 nonces from 2 on: 3 of one attempt each',
      I10: '12 entries after entry 1, head ab',
    })
    books.swaps = []
    expect((await look(40)).evidence.I1).toBe('0 nonces from 6 on: 0 of one attempt each')
    expect((await look(1)).evidence.I1).toBe('0 nonces from 6 on: 0 of one attempt each')
  })

  test('of nothing have nothing to say', async () => {
    Object.assign(books, { swaps: [], allowances: [] })
    books.adoption = { nonce: undefined, nextNonce: undefined, releases: [] }
    expect((await look()).evidence).toMatchObject({
      I1: 'the journal does not know this wallet yet',
      I7: '0 swaps are open',
      I8: '0 allowances were ever given; on record: nothing left; the logs were searched for others',
    })
  })

  test('are read by the page, to the last of them', async () => {
    const many = Array.from({ length: 201 }, (_, index) => swapOf(`s${index}`))
    books.swaps = many
    books.events = Array.from({ length: 2_001 }, (_, index) => ({
      ...{ seq: index + 1, swapId: 's', does: 'quote' as const },
    }))
    const { evidence } = await look()
    expect(evidence).toMatchObject({
      I3: '201 swaps, 0 signed transactions',
      I7: '201 swaps are open',
    })
    expect(evidence.I4).toMatch(/^2001 quotes/)
  })
})

describe('what is open', () => {
  const approve = (changes: Partial<BookedAttempt>) =>
    swapOf('a', {
      state: 'ABANDONED',
      attempts: [attempt('9', { kind: 'APPROVE', nonce: 5, ...changes })],
    })
  test.for<readonly [string, Partial<BookedAttempt>, string]>([
    ['an approval that is not decided', {}, '1 swap is open'],
    ['one that is', { closed: { number: 8, hash: blockHash(8) } }, '0 swaps are open'],
    ['one that was displaced', { displaced: true }, '0 swaps are open'],
    ['a transaction of another kind', { kind: 'SWAP' }, '0 swaps are open'],
  ])('%s', async ([, changes, expected]) => {
    books.swaps = [approve(changes)]
    expect((await look()).evidence.I7).toBe(expected)
  })
})

describe('a chain that is not seen', () => {
  const seen = 'the chain was not seen'
  test.for<readonly [string, Partial<Chain>, string]>([
    ['that is away', { fault: ballastError('HTTP_TOO_LARGE', 'Away.') }, 'Away.'],
    ['without a head', { head: undefined }, 'the endpoint has no latest block'],
    [
      'without the block at its depth',
      { missing: new Set([18]) },
      'the endpoint did not answer for block 18',
    ],
    [
      'that does not know that block',
      { absent: new Set([18]) },
      'the endpoint did not answer for block 18',
    ],
    [
      'without the nonce of it',
      { deepNonce: undefined },
      'the endpoint did not answer for block 18',
    ],
  ])('%s', async ([, changes, reason]) => {
    Object.assign(chain, changes)
    const found = await look()
    expect(found).toMatchObject({ head: reason, block: undefined, breaks: [] })
    expect(found.verdicts).toMatchObject({ I1: 'unknown', I2: 'unknown', I5: 'unknown' })
    expect(found.verdicts).toMatchObject({ I11: 'unknown', I12: 'unknown', I7: 'unknown' })
    const { I1, I2, I5, I11, I12 } = found.evidence
    expect([I1, I2, I5, I11, I12]).toEqual([seen, seen, seen, seen, seen])
    expect(found.unknown).toContain('swap open: the chain’s time is not known')
  })

  test('an error of ours is none of the chain’s', async () => {
    for (const fault of [new TypeError('ours'), ballastError('SIGNER_REFUSED', 'ours')]) {
      chain.fault = fault
      await expect(look()).rejects.toThrow('ours')
    }
  })

  test('a young one has no block before its first', async () => {
    Object.assign(chain, { head: 1 })
    books.swaps = []
    expect((await look()).block).toBe(0)
  })
})

describe('what breaks', () => {
  const oneOrTwo = { booked: '1', counted: '2' }
  const change = (one: BookedSwap, changes: Partial<BookedSwap>) => {
    books.swaps = books.swaps.map((swap) => (swap === one ? { ...one, ...changes } : swap))
  }
  const mine = (digit: string, changes: Partial<Mined>) =>
    chain.mined.set(hash(digit), { block: 9, ...chain.mined.get(hash(digit)), ...changes })

  test.for<readonly [code: string, what: string, bend: () => unknown, codes?: readonly string[]]>([
    ['NONCES_DIFFER', 'two nonces', () => change(open, { attempts: [attempt('6', { nonce: 9 })] })],
    [
      'SIGNED_WITHOUT_ENTRY',
      'unlogged',
      () => change(open, { attempts: [attempt('6', { nonce: 5, logged: false })] }),
    ],
    ['SWAP_UNDECIDED', 'late', () => change(open, { deadline: 400 })],
    ['LOG_BROKEN', 'the log', () => (books.log = { ...books.log, defects: ['a hash'] })],
    [
      'TOTAL_DIFFERS',
      'a total',
      () => books.totals.push({ name: 'x', ...oneOrTwo, shown: oneOrTwo }),
    ],
    ['ALLOWANCE_DIFFERS', 'an allowance', () => (chain.allowance = 5n)],
    [
      'ALLOWANCE_ABOVE_BOUND',
      'an allowance that is booked, and more than may stand',
      () => {
        books.allowances = [bookedAllowance({ wei: [10n] })]
        chain.allowance = 10n
      },
    ],
    [
      'ALLOWANCE_ABOVE_BOUND',
      'what a former router was left with',
      () => {
        books.allowances = [bookedAllowance({ spender: wallet, wei: [1n] })]
        chain.allowance = 1n
      },
    ],
    [
      'ALLOWANCE_ABOVE_BOUND',
      'what the router may take of a token that has no limit any more',
      () => {
        const token = { ...usd, address: other, symbol: 'OLD' }
        books.allowances = [bookedAllowance({ token, wei: [1n] })]
        chain.allowance = 1n
      },
    ],
    [
      'ALLOWANCE_UNBOOKED',
      'an allowance of a stranger',
      () => (chain.granted = [{ token: usd.address, spender: wallet, wei: 1n }]),
    ],
    [
      'ALLOWANCE_UNBOOKED',
      'another one than that of a first approval, which is under way',
      () => {
        books.allowances = [bookedAllowance({ wei: [0n, 3n], isSet: false })]
        chain.allowance = 2n
      },
    ],
    [
      'PERMIT_LEFT',
      'what a dead swap’s permit left, whole or in part',
      () => {
        const permitted = [{ wei: 7n, isOpen: false }]
        books.allowances = [bookedAllowance({ isSet: false, permitted })]
        chain.allowance = 5n
      },
    ],
    [
      'ALLOWANCE_DIFFERS',
      'more than a permit let be taken',
      () => {
        books.allowances = [bookedAllowance({ permitted: [{ wei: 7n, isOpen: true }] })]
        chain.allowance = 8n
      },
    ],
    ['SETTLED_AFTER_ALL', 'the router’s word', () => chain.consumed.set(hash('d'), true)],
    [
      'SETTLED_AFTER_ALL',
      'a receipt',
      () => chain.mined.set(hash('4'), { block: 9 }),
      ['NONCE_TWICE', 'SETTLED_AFTER_ALL'],
    ],
    [
      'REORG_BEYOND_DEPTH',
      'a block that is gone',
      () => change(settled, { included: { ...included, hash: hash('f') } }),
    ],
    ['LEDGER_DIFFERS', 'sold', () => change(settled, { moved: { sold: 4n, received: 2n } })],
    ['LEDGER_DIFFERS', 'received', () => change(settled, { moved: { sold: 3n, received: 1n } })],
    ['LEDGER_DIFFERS', 'balances', () => change(settled, { agrees: true })],
    ['LEDGER_DIFFERS', 'gas', () => change(settled, { gasPaid: 11n })],
    [
      'LEDGER_DIFFERS',
      'an event of another contract',
      () => mine('1', { logs: [swapped(hash('a'), 3n, 2n, other)] }),
      ['LEDGER_DIFFERS', 'LEDGER_DIFFERS'],
    ],
    [
      'LEDGER_DIFFERS',
      'an event of another swap',
      () => mine('1', { logs: [swapped(hash('e'), 3n, 2n)] }),
      ['LEDGER_DIFFERS', 'LEDGER_DIFFERS'],
    ],
    ['FOREIGN_SENDER', 'a sender', () => mine('3', { from: other })],
  ])('%s: %s', async ([code, , bend, expected = [code]]) => {
    bend()
    expect(await codes()).toEqual(expected)
  })

  test('an allowance above new limits, set by old ones, is unknown; one that may not stand at all is not', async () => {
    books.allowances = [bookedAllowance({ wei: [10n] })]
    chain.allowance = 10n
    const { breaks, unknown } = await look(0, true)
    expect(breaks).toEqual([])
    expect(unknown).toContain(
      `${router} may take 10 USD, of 9 USD at most, and the limits were changed since the last clean run`,
    )
    books.allowances = [bookedAllowance({ spender: wallet, wei: [10n] })]
    expect((await look(0, true)).breaks).toMatchObject([{ code: 'ALLOWANCE_ABOVE_BOUND' }])
  })

  test.each([
    ['a swap under way may use its permit up', 7n, true],
    ['a dead swap’s permit left nothing', 0n, false],
  ])('%s: nothing breaks', async (_, seen, isOpen) => {
    books.allowances = [bookedAllowance({ wei: [3n], permitted: [{ wei: 7n, isOpen }] })]
    chain.allowance = seen
    expect(await codes()).toEqual([])
  })

  test('an allowance that a running bot approved while its books were compared is its own', async () => {
    const approved = [bookedAllowance({ wei: [0n, 1n] })]
    chain.granted = [{ token: usd.address, spender: router, wei: 1n }]
    let reads = 0
    Object.defineProperty(books, 'allowances', {
      get() {
        reads += 1
        return reads === 1 ? [] : approved
      },
    })
    expect(await codes()).toEqual([])
  })

  const none = 'the endpoint does not show whether there are others'
  test.each<[string, Error, readonly string[]]>([
    [
      'failed is unknown: its blocks are searched again',
      new RpcRefused('eth_getLogs', { code: -32_603, message: 'internal error' }),
      [none],
    ],
    [
      'is refused for good is told, and keeps no mark back',
      new RpcRefused('eth_getLogs', { code: -32_601, message: 'method not found' }),
      [],
    ],
    [
      'would take too many requests is told, and keeps no mark back',
      ballastError('LOGS_NOT_FOUND', 'The RPC endpoint gives too few blocks at a time.'),
      [],
    ],
  ])('a search for allowances of others that %s', async (_, fault, unknown) => {
    chain.unsearched = fault
    const found = await look()
    expect(found.evidence.I8).toContain(none)
    expect(found.unknown).toEqual(unknown.map((why) => expect.stringContaining(why)))
    expect(found.verdicts).toEqual(unknown.length > 0 ? { I8: 'unknown' } : {})
  })

  test('a token that the endpoint does not answer for is unknown, and a contract of others is not', async () => {
    chain.unread = [
      { token: usd.address, spender: wallet },
      { token: wallet, spender: router },
    ]
    const found = await look()
    expect(found.unknown).toEqual([`what ${wallet} may take of ${usd.address} was not answered`])
    expect(found.verdicts).toEqual({ I8: 'unknown' })
  })

  test('an approval has a nonce of its own, and two differ', async () => {
    change(open, {
      nonce: undefined,
      attempts: [attempt('6', { nonce: 5 }), attempt('9', { nonce: 7 })],
    })
    expect(await codes()).toEqual(['NONCES_DIFFER'])
  })

  test('nonces that nothing explains, each stretch of them', async () => {
    Object.assign(chain, { deepNonce: 13, nonce: 13 })
    books.nonces = new Set([5, 8])
    books.adoption = {
      ...{ nonce: 2, nextNonce: 13 },
      releases: [{ from: 6, to: 7, at: 10, reason: 'seen' }],
    }
    books.swaps = [settled, dead]
    vi.mocked(findTransactions).mockResolvedValue([])
    const { breaks, evidence } = await look()
    expect(breaks).toMatchObject([
      { code: 'NONCE_FOREIGN', facts: { wallet, from: 7, to: 7, count: 1 } },
      { code: 'NONCE_FOREIGN', facts: { wallet, from: 9, to: 12, count: 4 } },
    ])
    expect(evidence.I1).toBe(
      '11 nonces from 2 on: 3 of one attempt each, 2 of swaps that ended before, 1 released by a person',
    )
  })

  test.for([
    [5, 5, ['NONCE_LOST'], { nonceOfChain: 5, nonceOfJournal: 6 }],
    [6, 5, [], undefined],
  ] as const)('the chain expects nonce %i', async ([nonce, deepNonce, expected, facts]) => {
    Object.assign(chain, { nonce, deepNonce })
    books.stillOpen = false
    const { breaks } = await look()
    expect(breaks.map(({ code }) => code)).toEqual(expected)
    if (facts !== undefined)
      expect(breaks).toMatchObject([{ key: 'I1 lost from 5 to 5', facts: { wallet, ...facts } }])
    expect(pages).toEqual([{ after: '', limit: 1 }])
  })

  test('a lost nonce is none while something is open, or where none was given', async () => {
    chain.nonce = 5
    expect(await codes()).toEqual([])
    books.stillOpen = false
    books.adoption = { ...books.adoption, nextNonce: undefined }
    expect(await codes()).toEqual([])
  })

  test.for<readonly [string, () => unknown, string]>([
    [
      'a receipt',
      () => chain.mined.set(hash('4'), undefined),
      `swap dead: ${hash('4')}: no receipt`,
    ],
    [
      'the block of a receipt',
      () => chain.missing.add(9),
      'swap settled: the node does not have block 9',
    ],
    [
      'the word of the router',
      () => chain.consumed.set(hash('d'), undefined),
      'swap dead: the router did not say whether it was consumed',
    ],
    ['an allowance', () => (chain.allowance = undefined), 'the allowance of USD was not answered'],
    [
      'the nonce of the head',
      () => Object.assign(chain, { nonce: undefined }),
      'the nonce of the wallet was not answered',
    ],
    [
      'a head that is old enough',
      () => Object.assign(chain, { head: 8 }),
      'the node is at block 8, and the books have one of 9',
    ],
  ])('%s that is not answered is unknown', async ([, bend, sentence]) => {
    bend()
    books.stillOpen = false
    const { breaks, unknown } = await look()
    expect(unknown).toContain(sentence)
    expect(breaks.filter(({ code }) => !code.startsWith('NONCE'))).toEqual([])
  })

  test('a transaction in a block that was replaced is unclear', async () => {
    mine('3', { hash: hash('e') })
    expect((await look()).unknown).toEqual([
      `nonce 3: ${hash('3')} is in a block that is being replaced`,
    ])
  })

  test('a block without its receipt is unclear, and an open swap is followed', async () => {
    chain.mined.delete(hash('3'))
    Object.assign(chain, { deepNonce: 6 })
    expect((await look()).unknown).toEqual([
      `nonce 3: the node has the block of ${hash('3')} and not its receipt`,
      'nonce 5 is spent, and its swap is still being followed',
    ])
  })
})

describe('what is told', () => {
  test('of bytes that the log does not know', async () => {
    books.swaps = [{ ...open, attempts: [attempt('6', { nonce: 5, logged: false })] }]
    books.nonces = new Set([2, 3, 4])
    expect((await look()).evidence.I9).toBe(
      '1 signed transactions, 1 of them without a swap of the log',
    )
  })

  test('of a dead swap by the word of the router alone, and of a settled one that is gone', async () => {
    chain.consumed.set(hash('d'), true)
    books.swaps = [{ ...settled, included: { ...included, hash: hash('f') } }, dead, open]
    expect((await look()).breaks).toMatchObject([
      { facts: { swapId: 'dead', consumed: true, transactions: undefined } },
      { facts: { booked: hash('f'), now: blockHash(9), transactionIs: 'in block 9, successful' } },
    ])
  })

  test('of dead swaps without an authorisation, and of no settled ones', async () => {
    books.swaps = [{ ...dead, authorization: undefined, included, gasPaid: undefined }]
    books.nonces = new Set([3, 4])
    const { breaks, evidence } = await look()
    expect(breaks).toEqual([])
    expect(evidence).toMatchObject({
      ...{ I2: "1 dead swaps by receipt and by the router's word, 1 in all" },
      ...{ I11: '0 settled swaps', I5: expect.stringMatching(/^0 settled/) },
    })
  })

  test('of nonces before the first swap, in whole books', async () => {
    books.adoption = { ...books.adoption, nonce: 1 }
    expect((await look()).breaks).toMatchObject([{ facts: { from: 1, to: 1, count: 1 } }])
    expect((await look(1)).breaks).toEqual([])
  })

  test('of a break that a person accepted', async () => {
    books.accepted = new Map([
      ['I8 stranger', 'no'],
      ['I10 a hash', 'known'],
    ])
    books.log = { ...books.log, defects: ['a hash'] }
    const { breaks, accepted, verdicts } = await look()
    expect({ breaks, accepted, verdicts }).toEqual({
      ...{ breaks: [], verdicts: {}, accepted: [{ key: 'I10 a hash', reason: 'known' }] },
    })
  })

  test('of an old head: only what is asked of it', async () => {
    Object.assign(chain, { head: 8 })
    books.stillOpen = false
    const old = 'the node is at block 8, and the books have one of 9'
    const { evidence, unknown } = await look()
    expect(evidence.I8).toBe('1 allowance was ever given')
    expect(unknown.filter((one) => one === old)).toHaveLength(2)
    books.allowances = []
    expect((await look()).unknown.filter((one) => one === old)).toHaveLength(1)
    books.stillOpen = true
    expect((await look()).unknown).not.toContain(old)
  })

  test.for([
    [[0n], 'nothing left'],
    [[1n], '1 USD left by settled'],
    [[0n, 2n], '0 USD or 2 USD left by settled'],
  ] as const)('of an allowance of %o', async ([wei, expected]) => {
    books.allowances = [bookedAllowance({ wei })]
    chain.allowance = wei[0]
    const { evidence, breaks } = await look()
    expect(breaks).toEqual([])
    expect(evidence.I8).toBe(
      `1 allowance was ever given; on record: ${expected}; the logs were searched for others`,
    )
  })

  test.for<readonly [string, readonly ('quote' | 'sign' | 'end')[], readonly string[]]>([
    ['a quote, then bytes', ['quote', 'sign'], []],
    ['a quote while bytes live', ['sign', 'quote'], ['QUOTED_WHILE_LIVE']],
    ['one after their end', ['sign', 'end', 'quote'], []],
    ['more bytes than ends', ['sign', 'sign', 'end', 'quote'], []],
  ])('of %s', async ([, does, expected]) => {
    books.events = does.map((one, index) => ({ seq: index + 1, swapId: 's', does: one }))
    expect(await codes()).toEqual(expected)
  })

  test('of an overrun that changed limits may explain', async () => {
    const entry = {
      ...{ swapId: 's', strategy: 'a', chainId: 1, wallet, state: 'SETTLED', signedAt: 1_000 },
      ...{ sell: usd.address, buy: undefined, amountIn: 1n, notional: 5n, unit: usd.address },
      createdAt: 1_000,
    } as unknown as LimitEntry
    const overrun = (one: { key: string }) => one.key
    books.counted = [
      entry,
      entry,
      { ...entry, strategy: 'b', notional: 1n },
      { ...entry, unit: undefined },
    ]
    expect((await look()).breaks.map(overrun)).toEqual([
      'I6 notional per hour 11',
      'I6 notional per day 11',
      'I6 notional per day of a 10',
    ])
    const { breaks, unknown } = await look(0, true)
    expect(breaks).toEqual([])
    expect(unknown[0]).toContain('notional per hour: 11 USD of 9 USD, and the limits were changed')
  })

  test.for<readonly [string, Partial<BookedSwap>, readonly string[]]>([
    ['ended', { state: 'ABANDONED' }, []],
    ['not signed', {}, ['SWAP_UNDECIDED']],
    ['whose approval may be mined', { attempts: [attempt('9', { kind: 'APPROVE' })] }, []],
    [
      'whose approval is decided',
      { attempts: [attempt('9', { kind: 'APPROVE', closed: { number: 8, hash: undefined } })] },
      ['SWAP_UNDECIDED'],
    ],
    [
      'whose approval was displaced',
      { attempts: [attempt('9', { kind: 'APPROVE', displaced: true })] },
      ['SWAP_UNDECIDED'],
    ],
  ])('of an old swap %s', async ([, changes, expected]) => {
    books.swaps = [swapOf('old', { createdAt: -4_000_000, ...changes })]
    Object.assign(books, { nonces: new Set([2, 3, 4]) })
    const found = (await codes()).filter((code) => code === 'SWAP_UNDECIDED')
    expect(found).toEqual(expected)
  })
})

describe('amounts', () => {
  beforeEach(() => {
    books.nonces = new Set([2])
  })
  const foreign = { ...settled, authorization: undefined }
  const logs = [
    transfer(usd, wallet, router, 5n),
    transfer(usd, router, wallet, 2n),
    transfer(eth, router, other, 2n),
    transfer(eth, router, wallet, 9n),
    transfer(eth, other, other, 4n),
  ]
  const native = { ...eth, address: nativeAddress }
  const balances = (height: number) => {
    chain.balance = (_, owner, at) =>
      owner === wallet ? (at < height ? 30n : 17n) : at < height ? 1n : 3n
  }

  test('of a router that names nothing are those of the tokens’ logs', async () => {
    books.swaps = [foreign]
    chain.mined.set(hash('1'), { block: 9, logs })
    expect((await look()).breaks).toEqual([])
    chain.mined.set(hash('1'), { block: 9, logs: logs.slice(0, 2) })
    expect((await look()).breaks[0]?.facts).toMatchObject({
      what: 'received',
      booked: 2n,
      onChain: 0n,
    })
  })

  test.for<readonly [string, Partial<BookedSwap>]>([
    ['sold', { sell: { token: native, wei: 3n } }],
    ['bought, by another account', { buy: native }],
  ])('of the coin %s are those of the balances, without the gas', async ([, changes]) => {
    balances(9)
    books.swaps = [{ ...foreign, ...changes, agrees: 'sell' in changes }]
    chain.mined.set(hash('1'), { block: 9, logs })
    expect((await look()).breaks).toEqual([])
  })

  describe('of a token that was minted beside the transfer', () => {
    const minted = [...logs, transfer(eth, zeroAddress, other, 7n)]
    const lookAt = async (received: bigint, came: bigint | 'pruned', agrees?: boolean) => {
      chain.pruned = came === 'pruned'
      chain.balance = (_, owner, at) =>
        owner === wallet ? (at < 9 ? 30n : 27n) : at < 9 || came === 'pruned' ? 1n : 1n + came
      books.swaps = [{ ...foreign, moved: { sold: 3n, received }, agrees }]
      chain.mined.set(hash('1'), { block: 9, logs: minted })
      const { breaks, verdicts } = await look()
      return [breaks.map(({ facts }) => facts.what), verdicts.I5 ?? 'holds']
    }
    test('are what any reading of that day says', async () => {
      expect(await lookAt(2n, 2n, true)).toEqual([[], 'holds'])
      // By the balances, where a unit more came than the transfer says.
      expect(await lookAt(3n, 3n, true)).toEqual([[], 'holds'])
      // By all logs, as older versions booked it.
      expect(await lookAt(9n, 2n, false)).toEqual([[], 'holds'])
      expect(await lookAt(4n, 2n, true)).toEqual([['received'], 'broken'])
    })
    test('are unknown where the balances that told them are gone', async () => {
      expect(await lookAt(2n, 'pruned')).toEqual([[], 'holds'])
      expect(await lookAt(3n, 'pruned')).toEqual([[], 'unknown'])
    })
  })

  test('of the coin bought by the wallet are without the gas, too', async () => {
    chain.balance = (_, __, at) => (at < 9 ? 30n : 22n)
    books.swaps = [{ ...foreign, buy: native, recipient: wallet, agrees: undefined }]
    chain.mined.set(hash('1'), { block: 9, logs })
    expect((await look()).breaks).toEqual([])
  })

  test('agree with the balances where both do', async () => {
    chain.balance = (asset, _, at) =>
      at < 8 ? 0n : at < 9 ? 10n : asset === usd.address ? 7n : 12n
    books.swaps = [{ ...settled, agrees: true }]
    expect((await look()).breaks).toEqual([])
    chain.balance = (asset, _, at) => (at < 9 ? 10n : asset === usd.address ? 7n : 13n)
    expect(await codes()).toEqual(['LEDGER_DIFFERS'])
    chain.balance = (asset, _, at) => (at < 9 ? 10n : asset === usd.address ? 6n : 12n)
    expect(await codes()).toEqual(['LEDGER_DIFFERS'])
  })

  test('of two swaps are read apart', async () => {
    const [after, rest] = [
      { [usd.address]: 7n, [eth.address]: 12n },
      { [usd.address]: 15n, [eth.address]: 6n },
    ]
    chain.balance = (asset, owner, at) =>
      at < 9 ? 10n : (((owner === wallet) === (asset === usd.address) ? after : rest)[asset] ?? 0n)
    const second = {
      ...{
        ...settled,
        swapId: 'z',
        authorization: hash('c'),
        attempts: [attempt('c')],
        agrees: true,
      },
      ...{ sell: { token: eth, wei: 4n }, buy: usd, moved: { sold: 4n, received: 5n } },
      included: { ...included, transaction: hash('c') },
    }
    books.swaps = [{ ...settled, agrees: true }, second]
    chain.mined.set(hash('c'), { block: 9, logs: [swapped(hash('c'), 4n, 5n)] })
    const { breaks, evidence } = await look()
    expect(breaks.map(({ code }) => code)).toEqual(['NONCE_TWICE'])
    expect(evidence.I5).toBe(
      '2 settled swaps as their events say, 2 of them by balances too; 3 gas bills',
    )
  })

  test('of tokens alone need no balances', async () => {
    chain.pruned = true
    books.swaps = [foreign]
    chain.mined.set(hash('1'), { block: 9, logs })
    const { breaks, evidence } = await look()
    expect(breaks).toEqual([])
    expect(evidence.I5).toMatch(/^1 settled swaps as their events say, 0 of them/)
  })

  test('whose gas was not booked have none to compare', async () => {
    books.swaps = [
      { ...settled, gasPaid: undefined },
      { ...dead, gasPaid: 5n },
    ]
    books.nonces = new Set()
    const { breaks, evidence } = await look()
    expect(breaks).toEqual([])
    expect(evidence.I5).toMatch(/; 1 gas bills$/)
  })

  test('pruned balances leave the event', async () => {
    chain.pruned = true
    const { breaks, evidence } = await look()
    expect(breaks).toEqual([])
    expect(evidence.I5).toBe(
      '1 settled swaps as their events say, 0 of them by balances too; 2 gas bills',
    )
  })

  test('pruned balances of one swap are no silence of another', async () => {
    const dai = token('DAI', '9')
    chain.balance = (asset) => {
      if (asset === dai.address) throw new Error('silence')
      throw new RpcRefused('eth_call', { code: -32_000, message: 'pruned' })
    }
    books.swaps = [
      settled,
      { ...settled, swapId: 'z' },
      { ...settled, swapId: 'zz', sell: { token: dai, wei: 3n } },
    ]
    const { evidence, unknown } = await look()
    expect(unknown).toEqual(['swap zz: the balances of its block were not answered'])
    expect(evidence.I5).toMatch(/^2 settled swaps as their events say, 0 of them/)
  })

  test('a node that limits calls, or fails by itself, has not pruned anything', async () => {
    for (const [code, message] of [
      [429, 'slow down'],
      [-32_603, 'internal error'],
    ] as const) {
      chain.balance = () => {
        throw new RpcRefused('eth_call', { code, message })
      }
      const sentence = 'swap settled: the balances of its block were not answered'
      expect((await look()).unknown).toEqual([sentence])
    }
  })

  test('one balance that is not answered is missed', async () => {
    chain.balance = (asset, _, at) => {
      if (asset === eth.address && at === 9) throw new Error('silence')
      return 1n
    }
    const sentence = 'swap settled: the balances of its block were not answered'
    expect((await look()).unknown).toEqual([sentence])
  })

  test('balances that are not answered leave nothing', async () => {
    chain.balance = () => {
      throw new Error('silence')
    }
    const { evidence, unknown } = await look()
    expect(unknown).toEqual(['swap settled: the balances of its block were not answered'])
    expect(evidence.I5).toBe(
      '0 settled swaps as their events say, 0 of them by balances too; 2 gas bills',
    )
  })
})
