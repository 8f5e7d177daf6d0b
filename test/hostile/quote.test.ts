import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pass, type Quoted, type Reading, type Verified } from '../../src/bot/stages.ts'
import { decodeExactInput, decodeOrders } from '../../src/chain/settlement/codec.ts'
import { authorizationHash } from '../../src/chain/settlement/typedData.ts'
import { quoteLies } from '../../src/drill/quoteLies.ts'
import type { DrillVerdict } from '../../src/drill/runDrill.ts'
import { openArena } from './openArena.ts'
import { titleOf } from './titleOf.ts'

let arena: Awaited<ReturnType<typeof openArena>>
let verdicts: ReadonlyMap<string, DrillVerdict>
beforeAll(async () => {
  arena = await openArena()
  verdicts = await arena.drill(quoteLies.map(({ name }) => name))
})
afterAll(() => arena.close())

describe('a hostile quote: nothing is signed, and the bot says why', () => {
  test('the honest quote before them settles', () => {
    expect(verdicts.get('honest')).toMatchObject({ ok: true, by: 'SETTLED' })
  })
  for (const { name, what } of quoteLies)
    test(titleOf({ name, what }), () => {
      expect(verdicts.get(name)).toMatchObject({ ok: true })
    })
  test('at least 60 lies were told', () => {
    expect(verdicts.size - 1).toBe(quoteLies.length)
    expect(quoteLies.length).toBeGreaterThanOrEqual(60)
  })
})

describe('a bot that verifies nothing', () => {
  /** Lies that everything after the verification would let through, or notice only when it is signed. */
  const signed = [
    'json-better-amount',
    'json-better-order',
    'json-other-maker',
    'json-later-deadline',
    'json-other-recipient',
    'json-smaller-input',
    'json-hidden-fee',
    'json-other-orders',
    'json-wrap',
    'json-other-authorisation',
    'json-hidden-fallback',
    'trailing-bytes',
    'minimum-of-one',
    'minimum-one-below',
    'price-three-percent',
    'price-halved',
    'deadline-in-an-hour',
    'deadline-in-milliseconds',
    'raw-call-behind-maker',
  ] as const

  test('is cheated, and the drill says so', async () => {
    const blind = await arena.drill(signed, trusting)
    const holes = [...blind.values()].filter(({ ok }) => !ok).map(({ name }) => name)
    expect(holes.length).toBeGreaterThanOrEqual(15)
    expect(blind.get('honest')).toMatchObject({ ok: true })
  })

  /** Passes on what the calldata says, and compares nothing. */
  const trusting = (reading: Reading): Reading => ({
    ...reading,
    async verify(quoted: Quoted) {
      const { txRequest } = quoted.quote
      const swap = decodeExactInput(txRequest.calldata)
      if (swap === undefined) throw new Error('not a swap')
      const orders = decodeOrders(swap.orders)
      const { chainId } = quoted.intent.buy
      const { target } = txRequest
      const authorized = { orders, caller: quoted.wallet, swap }
      const wei = orders.reduce((sum, { order }) => sum + order.buyerTokenAmount, 0n)
      return pass<Verified>({
        ...quoted,
        call: { to: target, data: txRequest.calldata, value: BigInt(txRequest.value) },
        swap,
        orders,
        authorization: authorizationHash({ chainId, router: target }, authorized),
        quoteId: orders[0]?.order.quoteId ?? '0x',
        deadline: Number(orders[0]?.order.deadlineTimestamp ?? 0n),
        amountOut: { token: quoted.intent.buy, wei },
        minimum: { token: quoted.intent.buy, wei: swap.amountOutMinimum },
        checks: [],
      })
    },
  })
})
