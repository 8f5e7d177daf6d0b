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
