import { describe, expect, test } from 'vitest'
import type { BookedAttempt, BookedSwap, JournalBooks } from '../../../src/bot/books.ts'
import { checkDead, checkDecided, checkSettled } from '../../../src/bot/reconcile/checkBooks.ts'
import { createAmountCheck } from '../../../src/bot/reconcile/createAmountCheck.ts'
import { createNonceCheck } from '../../../src/bot/reconcile/createNonceCheck.ts'
import { createAsk, createBreakTally } from '../../../src/bot/reconcile/createTally.ts'
import { headWithin, type ReconcileView, sight } from '../../../src/bot/reconcile/sight.ts'
import type { Hex } from '../../../src/chain/calls/fields.ts'
import { type Rpc, type RpcCall, RpcRefused } from '../../../src/chain/rpc/rpc.ts'
import { ballastError } from '../../../src/core/errors.ts'
import { type Address, nativeAddress, type Token } from '../../../src/core/token.ts'

/** What a node says that no honest chain can: breaks that the tests with a chain cannot bring about. */
const hashOf = (digit: string): Hex => `0x${digit.repeat(64)}`
const addressOf = (digit: string): Address => `0x${digit.repeat(40)}`
const wallet = addressOf('7')
const token: Token = { chainId: 1, address: addressOf('1'), symbol: 'USD', decimals: 0 }
const attempt = (digit: string): BookedAttempt => ({
  ...{ hash: hashOf(digit), kind: 'SWAP', nonce: 4, closed: undefined, displaced: false },
  ...{ gasPaid: undefined, logged: true },
})
const included = { number: 9, hash: hashOf('b'), transaction: hashOf('1') }
const swap: BookedSwap = {
  ...{ swapId: 's', state: 'SETTLED', sell: { token, wei: 1n }, buy: token, recipient: wallet },
  ...{ createdAt: 0, updatedAt: 0, nonce: 4, deadline: 1_000, router: addressOf('2') },
  ...{
    authorization: hashOf('a'),
    included,
    isWrittenOff: false,
    moved: undefined,
    gasPaid: undefined,
  },
  ...{ agrees: undefined, attempts: [attempt('1'), attempt('2')] },
}
type Found = ReturnType<ReconcileView['transaction']>
const mined = (changes: object = {}): Found => ({
  is: 'mined',
  receipt: {
    success: true,
    blockHash: hashOf('b'),
    blockNumber: 9,
    from: wallet,
    ...changes,
  } as never,
})
const seeing = (
  found: Readonly<Record<Hex, Found>>,
  block: ReturnType<ReconcileView['block']> = 'stands',
): ReconcileView => ({
  transaction: (hash) => found[hash] ?? { is: 'absent' },
  block: () => block,
  hashAt: () => hashOf('b'),
  consumed: () => false,
})
const tallied = (look: (tally: ReturnType<typeof createBreakTally>) => unknown) => {
  const tally = createBreakTally({ id: 'I', says: '' }, new Map())
  const result = look(tally)
  const { breaks, unknown } = tally.conclude('')
  return { result, codes: breaks.map(({ code }) => code), unknown }
}

test('I2: two transactions of one swap that both settled', () => {
  const both = { [hashOf('1')]: mined(), [hashOf('2')]: mined() }
  expect(tallied((tally) => checkDead(swap, seeing(both), tally)).codes).toEqual(['SETTLED_TWICE'])
  const one = { [hashOf('1')]: mined(), [hashOf('2')]: mined({ success: false }) }
  expect(tallied((tally) => checkDead(swap, seeing(one), tally)).codes).toEqual([])
})

describe('I11: a settled swap', () => {
  const look = (found: Found, block?: ReturnType<ReconcileView['block']>) =>
    tallied((tally) => checkSettled(swap, seeing({ [hashOf('1')]: found }, block), tally))

  test('that stands as it was booked goes on', () => {
    expect(look(mined())).toEqual({ result: true, codes: [], unknown: [] })
  })

  test.each([
    ['reverted in the block it was booked for', { success: false }],
    ['is in another block at its height', { blockHash: hashOf('c') }],
  ])('that %s is a break, and its amounts are not compared', (_, changes) => {
    const found = look(mined(changes))
    expect(found).toEqual({ result: false, codes: ['SETTLED_OTHERWISE'], unknown: [] })
  })

  test('whose block is gone is a break of its own', () => {
    expect(look(mined(), 'gone')).toEqual({
      ...{ result: false, codes: ['REORG_BEYOND_DEPTH'], unknown: [] },
    })
  })

  test('that cannot be seen is unknown', () => {
    const sentence = 'swap s: the node has its block and not its receipt'
    expect(look({ is: 'absent' })).toEqual({ result: false, codes: [], unknown: [sentence] })
  })
})

describe('I1: a nonce', () => {
  const adoption = { nonce: 4, nextNonce: 5, releases: [] }
  const look = (found: Readonly<Record<Hex, Found>>) =>
    tallied((tally) => {
      const nonces = createNonceCheck(wallet, tally)
      nonces.add(swap, seeing(found))
      return nonces.conclude({ from: 4, to: 5, adoption, booked: new Set() })
    }).codes

  test('that two transactions spent', () => {
    const both = { [hashOf('1')]: mined(), [hashOf('2')]: mined({ success: false }) }
    expect(look(both)).toEqual(['NONCE_TWICE'])
  })

  test('that something else spent names the swap whose bytes it displaced', () => {
    const tally = createBreakTally({ id: 'I1', says: '' }, new Map())
    const nonces = createNonceCheck(wallet, tally)
    nonces.add({ ...swap, included: undefined }, seeing({}))
    nonces.conclude({ from: 4, to: 5, adoption, booked: new Set() })
    expect(tally.conclude('').breaks).toMatchObject([
      {
        code: 'NONCE_TAKEN',
        facts: { wallet, nonce: 4, swapId: 's', ours: `${hashOf('1')}, ${hashOf('2')}` },
      },
    ])
  })

  test('that a later release covers is explained for a displaced swap, and for no other', () => {
    const release = { from: 4, to: 5, at: 10, reason: 'seen' }
    const of = (state: BookedSwap['state']) =>
      tallied((tally) => {
        const nonces = createNonceCheck(wallet, tally)
        nonces.add({ ...swap, state, included: undefined }, seeing({}))
        const released = { ...adoption, releases: [release] }
        return nonces.conclude({ from: 4, to: 5, adoption: released, booked: new Set() })
      }).codes
    expect(of('DISPLACED')).toEqual([])
    expect(of('EXPIRED_DEAD')).toEqual(['NONCE_TAKEN'])
  })

  const concluded = (
    changes: Partial<BookedSwap>,
    release = { from: 4, to: 5, at: 10, reason: 'seen' },
    found: Readonly<Record<Hex, Found>> = {},
  ) => {
    const tally = createBreakTally({ id: 'I1', says: '' }, new Map())
    const nonces = createNonceCheck(wallet, tally)
    nonces.add({ ...swap, included: undefined, ...changes }, seeing(found))
    const released = { ...adoption, releases: [release] }
    const evidence = nonces.conclude({ from: 4, to: 5, adoption: released, booked: new Set() })
    const { breaks, unknown } = tally.conclude('')
    return { evidence, breaks, codes: breaks.map(({ code }) => code), unknown }
  }

  test('that a release explains is counted as released', () => {
    expect(concluded({ state: 'DISPLACED' })).toMatchObject({
      evidence: '1 nonces from 4 on: 0 of one attempt each, 1 released by a person',
      ...{ codes: [], unknown: [] },
    })
  })

  test.for([
    ['when the swap ended', { at: 10 }, []],
    ['before it', { at: 9 }, ['NONCE_TAKEN']],
    ['of lower nonces', { to: 4 }, ['NONCE_TAKEN']],
  ] as const)('explained by a release %s', ([, changes, expected]) => {
    const release = { from: 4, to: 5, at: 10, reason: 'seen', ...changes }
    expect(concluded({ state: 'DISPLACED', updatedAt: 10 }, release).codes).toEqual(expected)
  })

  test('that something else spent names the one swap there is', () => {
    const [taken] = concluded({ state: 'EXPIRED_DEAD', attempts: [attempt('1')] }).breaks
    expect(taken?.facts).toMatchObject({ swapId: 's', ours: hashOf('1') })
  })

  test('of an approval is followed while that is open', () => {
    const of = (changes: Partial<BookedAttempt>) =>
      concluded({
        state: 'ABANDONED',
        attempts: [{ ...attempt('1'), kind: 'APPROVE', ...changes }],
      })
    expect(of({}).unknown).toEqual(['nonce 4 is spent, and its swap is still being followed'])
    expect(of({ closed: { number: 9, hash: undefined } }).codes).toEqual([])
    expect(of({ displaced: true }).codes).toEqual([])
  })

  test('whose transaction is not answered is unknown', () => {
    const silent: Found = { is: 'unknown', why: 'silence' }
    const found = { [hashOf('1')]: silent, [hashOf('2')]: silent }
    expect(concluded({}, undefined, found).unknown).toEqual([
      `nonce 4: ${hashOf('1')}: silence; ${hashOf('2')}: silence`,
    ])
  })

  test('whose transaction another account sent', () => {
    expect(look({ [hashOf('1')]: mined({ from: addressOf('8') }) })).toEqual(['FOREIGN_SENDER'])
  })
})

test('I7: ten minutes of the chain after a deadline, an hour of ours without bytes, to the second', () => {
  const open = { ...swap, included: undefined, attempts: [] }
  const look = (state: BookedSwap['state'], deepAt: number, now: number) =>
    tallied((tally) => checkDecided({ ...open, state }, { deepAt, now }, tally)).codes
  expect(look('SENT', 1_600, 9_000_000)).toEqual([])
  expect(look('SENT', 1_601, 0)).toEqual(['SWAP_UNDECIDED'])
  expect(look('PLANNED', 0, 3_600_000)).toEqual([])
  expect(look('PLANNED', 0, 3_600_001)).toEqual(['SWAP_UNDECIDED'])
})

test('what is unknown is named fifty times, and the rest counted', () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `reason ${index}`)
  const look = (count: number) =>
    tallied((tally) => {
      for (const name of names(count)) tally.unknown(name)
    }).unknown
  expect(look(50)).toEqual(names(50))
  expect(look(52)).toEqual([...names(50), 'and 2 more of the kind'])
})

test('nothing found holds, one break does not, and what is not asked is not sent', async () => {
  const verdict = (count: number) => {
    const tally = createBreakTally({ id: 'I', says: '' }, new Map())
    for (let key = 0; key < count; key += 1)
      tally.broke({ key: `${key}`, code: 'X', facts: {}, next: '', lock: undefined })
    return tally.conclude('').verdict
  }
  expect([0, 1, 2].map(verdict)).toEqual(['holds', 'broken', 'broken'])
  const never = { batch: () => Promise.reject(new Error('was asked')) } as unknown as Rpc
  expect(await createAsk(never)([])).toEqual([])
})

test.for([new TypeError('ours'), ballastError('SIGNER_REFUSED', 'ours')])(
  'an error of ours is no silence: %s',
  async (error) => {
    const rpc = { batch: () => Promise.reject(error) } as unknown as Rpc
    const call: RpcCall<unknown> = { method: 'eth_chainId', params: [], parse: (it) => it }
    await expect(createAsk(rpc)([call])).rejects.toThrow('ours')
  },
)

test('a swap that did not settle, or has no block, is not looked for', () => {
  const look = (changes: Partial<BookedSwap>) =>
    tallied((tally) =>
      checkSettled({ ...swap, ...changes }, seeing({ [hashOf('1')]: mined() }), tally),
    )
  const nothing = { result: false, codes: [], unknown: [] }
  expect([look({ state: 'REVERTED' }), look({ included: undefined })]).toEqual([nothing, nothing])
})

test('what was not asked for is unknown', async () => {
  const seen = await sight(async () => [], { swaps: [], depth: 1 })
  expect(seen.transaction(hashOf('1'))).toEqual({ is: 'unknown', why: 'it was not read' })
})

test('an endpoint that is silent once is asked no more, and each answer is unknown', async () => {
  const sizes: number[] = []
  const rpc = {
    batch: async (calls: readonly RpcCall<unknown>[]) => {
      sizes.push(calls.length)
      if (sizes.length === 2) throw ballastError('HTTP_TOO_LARGE', 'away')
      return calls.map(() => ({ ok: true, value: 1 }))
    },
  } as unknown as Rpc
  const call: RpcCall<unknown> = { method: 'eth_chainId', params: [], parse: (it) => it }
  const ask = createAsk(rpc)
  const outcomes = await ask(Array.from({ length: 250 }, () => call))
  expect(outcomes.map(({ ok }) => ok)).toEqual([
    ...Array.from({ length: 100 }, () => true),
    ...Array.from({ length: 150 }, () => false),
  ])
  expect((await ask([call])).map(({ ok }) => ok)).toEqual([false])
  expect(sizes).toEqual([100, 100])
})

test('I5: a native sale through a router that names nothing is unknown once its balances are gone', async () => {
  const coin: Token = { ...token, address: nativeAddress }
  const opaque = { ...swap, authorization: undefined, sell: { token: coin, wei: 1n } }
  const tally = createBreakTally({ id: 'I5', says: '' }, new Map())
  const error = new RpcRefused('eth_getBalance', { code: -32_000, message: 'state is pruned' })
  const amounts = createAmountCheck({
    ask: async (calls) => calls.map(() => ({ ok: false, error })),
    askTraces: async (calls) => calls.map(() => ({ ok: false, error })),
    ...{ wallet, coin, tally },
  })
  await amounts.add([opaque], seeing({ [hashOf('1')]: mined({ logs: [] }) }))
  expect(tally.conclude('')).toMatchObject({
    verdict: 'unknown',
    unknown: ['swap s: the node has no balances of its block any more'],
  })
})

test('I5: a node that answers for an old block with the state of its head tells nothing of balances', async () => {
  const log = { address: token.address, topics: [], data: '0x' }
  const opaque = { ...swap, authorization: undefined, agrees: true, moved: undefined }
  const said = async (counts: readonly [number, number]) => {
    const tally = createBreakTally({ id: 'I5', says: '' }, new Map())
    const amounts = createAmountCheck({
      ask: async (calls) =>
        calls.map(({ method, params }) => ({
          ok: true,
          value: (method === 'eth_getTransactionCount'
            ? counts[params[1] === '0x9' ? 1 : 0]
            : 5n) as never,
        })),
      askTraces: async () => [],
      ...{ wallet, coin: token, tally },
    })
    const moved = { sold: 0n, received: 0n }
    await amounts.add(
      [{ ...opaque, moved, agrees: false }],
      seeing({ [hashOf('1')]: mined({ logs: [log] }) }),
    )
    return tally.conclude('').breaks.map(({ facts }) => facts.what)
  }
  expect(await said([4, 5])).toEqual(['balances agree'])
  expect(await said([6, 6])).toEqual([])
})

test('a head is recent enough from the newest block of the books on', async () => {
  const at = (number: number) =>
    headWithin(async (calls) => calls.map(() => ({ ok: true, value: { number } })) as never, {
      books: { newestBlock: async () => 7 } as unknown as JournalBooks,
      scope: { chainId: 1, wallet, since: 0 },
    })
  expect([await at(7), await at(8)]).toEqual([7, 8])
  expect(await at(6)).toBe('the node is at block 6, and the books have one of 7')
})
