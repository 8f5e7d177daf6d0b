import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Address } from '../../../src/core/token.ts'
import { createInventory, type Stock } from '../../../src/service/inventory/createInventory.ts'

const USDC: Address = '0x00000000000000000000000000000000000000Aa'
const WETH: Address = '0x00000000000000000000000000000000000000bB'

const none = () => false
const stock = (timestamp: number, usdc: bigint, isUsed: Stock['isUsed'] = none): Stock => ({
  timestamp,
  held: new Map([
    [USDC, usdc],
    [WETH, 10n],
  ]),
  isUsed,
})
const promise = (orderId: bigint, amount: bigint, deadlineSeconds = 160) => ({
  orderId,
  token: USDC,
  amount,
  deadlineSeconds,
})

describe('inventory', () => {
  test('before the first block nothing is there to promise', () => {
    expect(createInventory().reserve(promise(1n, 1n))).toBe(false)
  })

  test('what is promised is not free, whatever the letter case of the token', () => {
    const inventory = createInventory()
    inventory.moveTo(stock(100, 1_000n))
    expect(inventory.reserve(promise(1n, 600n))).toBe(true)
    expect(inventory.free(USDC)).toBe(400n)
    expect(inventory.reserved(USDC.toLowerCase() as Address)).toBe(600n)
    expect(inventory.free(WETH)).toBe(10n)
    expect(inventory.reserve(promise(2n, 401n))).toBe(false)
    expect(inventory.reserve(promise(2n, 400n))).toBe(true)
    expect(inventory.free(USDC)).toBe(0n)
  })

  test('an id is promised once', () => {
    const inventory = createInventory()
    inventory.moveTo(stock(100, 1_000n))
    expect(inventory.reserve(promise(1n, 1n))).toBe(true)
    expect(inventory.reserve(promise(1n, 1n))).toBe(false)
    inventory.withdraw(1n)
    inventory.withdraw(1n)
    expect(inventory.reserved(USDC)).toBe(0n)
    expect(inventory.reserve(promise(1n, 1n))).toBe(true)
  })

  test('until a block whose time is past the deadline: at the deadline itself it still settles', () => {
    const inventory = createInventory()
    inventory.moveTo(stock(100, 1_000n))
    inventory.reserve(promise(1n, 600n, 160))
    inventory.moveTo(stock(160, 1_000n))
    expect(inventory.reserved(USDC)).toBe(600n)
    inventory.moveTo(stock(161, 1_000n))
    expect(inventory.reserved(USDC)).toBe(0n)
    expect(inventory.free(USDC)).toBe(1_000n)
  })

  test('a fill frees its reservation in the block that shows it in the balance', () => {
    const inventory = createInventory()
    inventory.moveTo(stock(100, 1_000n))
    inventory.reserve(promise(1n, 600n))
    inventory.reserve(promise(2n, 100n))
    inventory.moveTo(stock(101, 400n, (id) => id === 1n))
    expect(inventory.reserved(USDC)).toBe(100n)
    expect(inventory.free(USDC)).toBe(300n)
  })

  test('a reorganisation that undoes a fill, or an expiry, promises it again', () => {
    const inventory = createInventory()
    inventory.moveTo(stock(100, 1_000n))
    inventory.reserve(promise(1n, 600n))
    inventory.reserve(promise(2n, 100n, 101))
    inventory.moveTo(stock(102, 400n, (id) => id === 1n))
    expect(inventory.reserved(USDC)).toBe(0n)
    inventory.moveTo(stock(101, 1_000n))
    expect(inventory.reserved(USDC)).toBe(700n)
    expect(inventory.free(USDC)).toBe(300n)
  })

  test('an order past its deadline is not looked at again, block after block', () => {
    const inventory = createInventory()
    inventory.moveTo(stock(100, 1_000n))
    for (let id = 1n; id <= 50n; id += 1n) inventory.reserve(promise(id, 1n, 101))
    inventory.reserve(promise(51n, 1n, 300))
    const looked: bigint[] = []
    const look = (id: bigint) => {
      looked.push(id)
      return false
    }
    inventory.moveTo(stock(102, 1_000n, look))
    expect(looked).toHaveLength(51)
    inventory.moveTo(stock(103, 1_000n, look))
    expect(looked.slice(51)).toEqual([51n])
    inventory.moveTo(stock(101, 1_000n, look))
    expect(inventory.reserved(USDC)).toBe(51n)
  })

  test('withdrawn after its deadline and promised again, it is one promise', () => {
    const inventory = createInventory()
    inventory.moveTo(stock(100, 1_000n))
    inventory.reserve(promise(1n, 600n, 101))
    inventory.moveTo(stock(102, 1_000n))
    inventory.withdraw(1n)
    expect(inventory.reserve(promise(1n, 200n, 400))).toBe(true)
    inventory.moveTo(stock(101, 1_000n))
    expect(inventory.reserved(USDC)).toBe(200n)
    inventory.moveTo(stock(101 + 121, 1_000n))
    expect(inventory.reserved(USDC)).toBe(200n)
    expect(inventory.remembered()).toBe(1)
  })

  test('tokens moved away under a promise leave nothing free, never less', () => {
    const inventory = createInventory()
    inventory.moveTo(stock(100, 1_000n))
    inventory.reserve(promise(1n, 600n))
    inventory.moveTo(stock(101, 500n))
    expect(inventory.free(USDC)).toBe(0n)
    expect(inventory.reserve(promise(2n, 1n))).toBe(false)
  })

  test('100,000 reservations leave nothing behind', () => {
    const inventory = createInventory({ forgetAfterSeconds: 10 })
    let id = 0n
    for (let second = 0; second < 1_000; second += 1) {
      // Half of the orders of the second before were filled.
      inventory.moveTo(stock(second, 10n ** 9n, (order) => order % 2n === 0n))
      for (let each = 0; each < 100; each += 1) {
        id += 1n
        inventory.reserve(promise(id, 10n, second + 5))
      }
      // Never more than the seconds an order lives, and then is remembered.
      expect(inventory.remembered()).toBeLessThanOrEqual(100 * 17)
      expect(inventory.openIds().length).toBeLessThanOrEqual(100 * 6)
    }
    expect(id).toBe(100_000n)
    expect(inventory.reserved(USDC)).toBeGreaterThan(0n)
    inventory.moveTo(stock(1_005, 10n ** 9n))
    expect(inventory.reserved(USDC)).toBe(0n)
    expect(inventory.openIds()).toEqual([])
    inventory.moveTo(stock(1_100, 10n ** 9n))
    expect(inventory.remembered()).toBe(0)
  })

  test('any history: what is reserved is exactly what is open at the block, and was never promised twice', () => {
    const act = fc.oneof(
      fc.record({
        kind: fc.constant('reserve' as const),
        amount: fc.bigInt({ min: 1n, max: 400n }),
        life: fc.integer({ min: 0, max: 8 }),
      }),
      fc.record({ kind: fc.constant('withdraw' as const), nth: fc.nat(20) }),
      fc.record({ kind: fc.constant('fill' as const), nth: fc.nat(20) }),
      fc.record({ kind: fc.constant('undo' as const), nth: fc.nat(20) }),
      // Also backwards.
      fc.record({ kind: fc.constant('block' as const), by: fc.integer({ min: -3, max: 5 }) }),
    )
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (history) => {
        const inventory = createInventory({ forgetAfterSeconds: 1_000 })
        const signed: { id: bigint; amount: bigint; deadline: number; filled: boolean }[] = []
        const held = 1_000n
        let now = 100
        const seen = () => {
          const paid = signed
            .filter(({ filled }) => filled)
            .reduce((sum, { amount }) => sum + amount, 0n)
          inventory.moveTo(
            stock(now, held - paid, (id) => signed.some((each) => each.id === id && each.filled)),
          )
        }
        seen()
        let id = 0n
        for (const step of history) {
          if (step.kind === 'reserve') {
            id += 1n
            const { amount } = step
            const deadline = now + step.life
            if (inventory.reserve(promise(id, amount, deadline)))
              signed.push({ id, amount, deadline, filled: false })
          } else if (step.kind === 'block') {
            now += step.by
            seen()
          } else {
            const order = signed[step.nth]
            if (order === undefined) continue
            if (step.kind === 'withdraw' && !order.filled) {
              inventory.withdraw(order.id)
              signed.splice(step.nth, 1)
            }
            if (step.kind === 'fill' && now <= order.deadline) order.filled = true
            if (step.kind === 'undo') order.filled = false
            seen()
          }
          const open = signed.filter(({ deadline, filled }) => !filled && now <= deadline)
          expect(inventory.reserved(USDC)).toBe(open.reduce((sum, { amount }) => sum + amount, 0n))
        }
      }),
      { numRuns: 300 },
    )
  })
})

describe('shares', () => {
  const opened = () => {
    const inventory = createInventory({ shareBps: 2_500 })
    inventory.moveTo(stock(100, 1_000n))
    return inventory
  }
  const by = (callers: readonly string[], id: bigint, amount: bigint) => ({
    ...promise(id, amount),
    callers,
  })

  test('a caller holds back its share, and leaves the rest to others', () => {
    const inventory = opened()
    expect(inventory.freeFor(USDC, ['taker a'])).toBe(250n)
    expect(inventory.reserve(by(['taker a'], 1n, 251n))).toBe(false)
    expect(inventory.reserve(by(['taker a'], 1n, 200n))).toBe(true)
    expect(inventory.freeFor(USDC, ['taker a'])).toBe(50n)
    expect(inventory.reserve(by(['taker a'], 2n, 51n))).toBe(false)
    expect(inventory.freeFor(USDC, ['taker b'])).toBe(250n)
    expect(inventory.free(USDC)).toBe(800n)
    inventory.withdraw(1n)
    expect(inventory.freeFor(USDC, ['taker a'])).toBe(250n)
  })

  test('the takers of one key have one share', () => {
    const inventory = opened()
    for (const [index, taker] of ['a', 'b', 'c', 'd', 'e'].entries())
      expect(inventory.reserve(by(['key k', `taker ${taker} of key k`], BigInt(index), 50n))).toBe(
        true,
      )
    expect(inventory.freeFor(USDC, ['key k', 'taker f of key k'])).toBe(0n)
    expect(inventory.freeFor(USDC, ['key l', 'taker a of key l'])).toBe(250n)
  })

  test('nobody gets more than is free', () => {
    const inventory = opened()
    for (const n of [1n, 2n, 3n]) inventory.reserve(by([`taker ${n}`], n, 250n))
    inventory.reserve(by(['taker 4'], 4n, 150n))
    expect(inventory.freeFor(USDC, ['taker 5'])).toBe(100n)
  })

  /** Eight orders of one caller, and then a block that ends them. */
  const round = (inventory: ReturnType<typeof opened>, nth: number, used: boolean, of = 8) => {
    const from = 100 + nth * 100
    for (let n = 0; n < of; n++)
      inventory.reserve({
        ...by(['taker a'], BigInt(nth * 100 + n), 1n),
        deadlineSeconds: from + 50,
      })
    inventory.moveTo(stock(from + 51, 1_000n, () => used))
    inventory.moveTo(stock(from + 60, 1_000n))
  }

  test('eight quotes that lapse halve it, down to an eighth; fills mend it', () => {
    const inventory = opened()
    const shares = [0, 1, 2, 3].map((nth) => {
      round(inventory, nth, false)
      return inventory.freeFor(USDC, ['taker a'])
    })
    expect(shares).toEqual([125n, 62n, 31n, 31n])
    expect(inventory.freeFor(USDC, ['taker b'])).toBe(250n)
    round(inventory, 4, true, 4)
    expect(inventory.freeFor(USDC, ['taker a'])).toBe(62n)
    round(inventory, 5, true)
    expect(inventory.freeFor(USDC, ['taker a'])).toBe(250n)
  })

  test('an order that was forgotten lapses anew under its number', () => {
    const inventory = opened()
    for (let nth = 1; nth <= 8; nth++) {
      const from = nth * 10_000
      inventory.moveTo(stock(from, 1_000n))
      inventory.reserve({ ...by(['taker a'], 1n, 1n), deadlineSeconds: from + 50 })
      inventory.moveTo(stock(from + 51, 1_000n))
      inventory.moveTo(stock(from + 5_000, 1_000n))
      expect(inventory.freeFor(USDC, ['taker a'])).toBe(nth < 8 ? 250n : 125n)
    }
  })

  test('of ten thousand callers the one silent for longest is forgotten', () => {
    const inventory = opened()
    round(inventory, 0, false)
    const lapse = (from: number, count: number) => {
      inventory.moveTo(stock(1_000, 1_000_000n))
      for (let n = from; n < from + count; n++)
        inventory.reserve({ ...by([`taker ${n}`], BigInt(n), 1n), deadlineSeconds: 1_050 })
      inventory.moveTo(stock(1_051, 1_000n))
    }
    lapse(1_000, 9_999)
    expect(inventory.freeFor(USDC, ['taker a'])).toBe(125n)
    lapse(20_000, 1)
    expect(inventory.freeFor(USDC, ['taker a'])).toBe(250n)
  })

  test('seven that lapse, or one fill in three, cost nothing', () => {
    const inventory = opened()
    round(inventory, 0, false, 7)
    expect(inventory.freeFor(USDC, ['taker a'])).toBe(250n)
    for (let nth = 1; nth < 20; nth++) {
      round(inventory, nth * 2, true, 1)
      round(inventory, nth * 2 + 1, false, 2)
    }
    expect(inventory.freeFor(USDC, ['taker a'])).toBe(250n)
  })
})

describe('inventory: the edges', () => {
  const opened = (options: Parameters<typeof createInventory>[0] = {}, held = 10_000n) => {
    const inventory = createInventory(options)
    inventory.moveTo(stock(100, held))
    return inventory
  }
  const of = (caller: string, id: bigint, amount = 1n) => ({
    ...promise(id, amount),
    callers: [caller],
  })

  test('its version changes with every block, promise and withdrawal, and by nothing else', () => {
    const inventory = createInventory()
    const changes = (act: () => unknown) => {
      const before = inventory.version()
      act()
      return inventory.version() !== before
    }
    expect(changes(() => inventory.moveTo(stock(100, 1_000n)))).toBe(true)
    expect(changes(() => inventory.reserve(promise(1n, 1n)))).toBe(true)
    expect(changes(() => inventory.reserve(promise(1n, 1n)))).toBe(false)
    expect(changes(() => inventory.reserve(promise(2n, 1_000n)))).toBe(false)
    expect(changes(() => inventory.withdraw(2n))).toBe(false)
    expect(changes(() => inventory.withdraw(1n))).toBe(true)
    expect(changes(() => inventory.moveTo(stock(100, 1_000n)))).toBe(true)
  })

  test('withdrawn after its fill was undone, a promise is taken back once', () => {
    const inventory = opened()
    inventory.reserve(promise(1n, 600n))
    inventory.reserve(promise(2n, 50n))
    inventory.moveTo(stock(101, 9_400n, (id) => id === 1n))
    inventory.moveTo(stock(101, 10_000n))
    inventory.withdraw(1n)
    expect(inventory.reserved(USDC)).toBe(50n)
    expect(inventory.free(USDC)).toBe(9_950n)
  })

  test.each([
    ['filled', stock(101, 9_400n, (id) => id === 1n)],
    ['past', stock(161, 9_400n)],
  ])('withdrawn when it is %s, it does not make room for another', (_, ended) => {
    const inventory = opened()
    inventory.reserve(promise(1n, 600n))
    inventory.reserve(promise(2n, 50n, 200))
    inventory.moveTo(ended)
    inventory.withdraw(1n)
    expect(inventory.reserved(USDC)).toBe(50n)
    expect(inventory.free(USDC)).toBe(9_350n)
  })

  test.each([
    ['by default 120', undefined, 280],
    ['7', 7, 167],
  ])('is remembered for so many seconds past its deadline: %s', (_, forgetAfterSeconds, last) => {
    const inventory = opened(forgetAfterSeconds === undefined ? {} : { forgetAfterSeconds })
    inventory.reserve(promise(1n, 1n, 160))
    inventory.moveTo(stock(last, 10_000n))
    expect(inventory.remembered()).toBe(1)
    inventory.moveTo(stock(last + 1, 10_000n))
    expect(inventory.remembered()).toBe(0)
  })

  test('at its deadline an order can still be taken, so its use is read', () => {
    const inventory = opened()
    inventory.reserve(promise(1n, 1n, 160))
    inventory.moveTo(stock(160, 10_000n))
    expect(inventory.openIds()).toEqual([1n])
    inventory.moveTo(stock(161, 10_000n))
    expect(inventory.openIds()).toEqual([])
  })

  test('without a share a caller may hold back all, however many of its quotes lapse', () => {
    const inventory = opened()
    for (let id = 1n; id <= 16n; id += 1n) inventory.reserve(of('taker a', id))
    inventory.moveTo(stock(161, 10_000n))
    expect(inventory.freeFor(USDC, ['taker a'])).toBe(10_000n)
    expect(inventory.reserve({ ...of('taker a', 17n, 10_000n), deadlineSeconds: 200 })).toBe(true)
  })

  test('a share of all but one in ten thousand is held to', () => {
    const inventory = opened({ shareBps: 9_999 })
    expect(inventory.freeFor(USDC, ['taker a'])).toBe(9_999n)
    expect(inventory.reserve(of('taker a', 1n, 10_000n))).toBe(false)
    expect(inventory.reserve(of('taker a', 1n, 9_998n))).toBe(true)
    expect(inventory.freeFor(USDC, ['taker a'])).toBe(1n)
    expect(inventory.reserve(of('taker a', 2n))).toBe(true)
    expect(inventory.freeFor(USDC, ['taker a'])).toBe(0n)
    expect(inventory.free(USDC)).toBe(1n)
  })

  test('a share below what is held back already leaves nothing', () => {
    const inventory = opened({ shareBps: 5_000 })
    inventory.reserve(of('taker a', 1n, 5_000n))
    inventory.moveTo(stock(101, 6_000n))
    expect(inventory.freeFor(USDC, ['taker a'])).toBe(0n)
    expect(inventory.freeFor(USDC, ['taker b'])).toBe(1_000n)
  })

  test('of a token nobody read nothing is there', () => {
    const inventory = opened({ shareBps: 9_999 })
    const other: Address = `0x${'c'.repeat(40)}`
    expect([inventory.free(other), inventory.freeFor(other, ['taker a'])]).toEqual([0n, 0n])
  })

  /** Orders of a caller which all end in the block after, used or lapsed. */
  const end = (
    inventory: ReturnType<typeof opened>,
    callers: readonly string[],
    { at, isUsed = false }: { at: number; isUsed?: boolean },
  ) => {
    inventory.moveTo(stock(at, 1_000_000n))
    for (const [nth, caller] of callers.entries())
      inventory.reserve({ ...of(caller, BigInt(at * 100_000 + nth)), deadlineSeconds: at + 1 })
    inventory.moveTo(stock(at + 2, 10_000n, () => isUsed))
  }
  const times = (count: number, caller = 'taker a') => Array.from({ length: count }, () => caller)
  const takers = (count: number, from = 0) =>
    Array.from({ length: count }, (_, nth) => `taker ${from + nth}`)

  test('who lets nothing lapse has its whole share, also where one lapse halves it', () => {
    const inventory = opened({ shareBps: 5_000, lapsesToHalve: 1 })
    expect(inventory.freeFor(USDC, ['taker a'])).toBe(5_000n)
    end(inventory, ['taker a'], { at: 1_000 })
    expect(inventory.freeFor(USDC, ['taker a'])).toBe(2_500n)
  })

  test('a record that is mended starts from nothing, and a fill does not count ahead', () => {
    const inventory = opened({ shareBps: 5_000 })
    end(inventory, times(2), { at: 1_000 })
    end(inventory, times(3), { at: 2_000, isUsed: true })
    end(inventory, times(7), { at: 3_000 })
    expect(inventory.freeFor(USDC, ['taker a'])).toBe(5_000n)
    end(inventory, times(1), { at: 4_000 })
    expect(inventory.freeFor(USDC, ['taker a'])).toBe(2_500n)
  })

  test('callers whose orders were filled push nobody out of memory', () => {
    const inventory = opened({ shareBps: 5_000 })
    end(inventory, times(8), { at: 1_000 })
    end(inventory, takers(10_001), { at: 2_000, isUsed: true })
    for (const [at, from] of [[3_000, 0] as const, [6_000, 20_000] as const]) {
      // Two lapses and a fill: a record that is as good as none.
      end(inventory, takers(5_001, from), { at })
      end(inventory, takers(5_001, from), { at: at + 1_000 })
      end(inventory, takers(5_001, from), { at: at + 2_000, isUsed: true })
    }
    expect(inventory.freeFor(USDC, ['taker a'])).toBe(2_500n)
  })

  test('who lapses again is no longer the one silent for longest', () => {
    const inventory = opened({ shareBps: 5_000 })
    end(inventory, times(8), { at: 1_000 })
    end(inventory, takers(9_999), { at: 2_000 })
    end(inventory, times(1), { at: 3_000 })
    end(inventory, takers(1, 20_000), { at: 4_000 })
    expect(inventory.freeFor(USDC, ['taker a'])).toBe(2_500n)
  })
})

test.each([0n, -1n])('inventory: %s is no amount to reserve', (amount) => {
  const inventory = createInventory()
  inventory.moveTo(stock(100, 1_000n))
  expect(inventory.reserve(promise(1n, amount))).toBe(false)
  expect(inventory.remembered()).toBe(0)
})
