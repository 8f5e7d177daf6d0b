import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import { ask } from '../support/ask.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'

/** The machine's clock, moved by hand: the chain does not know. */
let shiftMs = 0
const clock: Clock = { now: () => systemClock.now() + shiftMs, sleep: systemClock.sleep }

let fork: Fork
beforeAll(async () => {
  fork = await forkOrigin({ clock })
  // From here on blocks come when the test says so.
  await fork.rpc.request(anvilCalls.mineEvery(0))
})
afterAll(() => fork?.close())

const quote = (path: string) =>
  ask(fork.ready.serviceUrl, path, {
    chain: 'local',
    token_in: fork.ready.tokens.WETH?.address,
    token_out: fork.ready.tokens.USDC?.address,
    amount: '1',
    from_address: fork.ready.wallets.treasury?.address,
  })

describe('snapshots', () => {
  test('a chain that stands still for more than five seconds is not quoted from', async () => {
    await fork.rpc.request(anvilCalls.mine)
    expect((await quote('firm-quote')).status).toBe(200)

    shiftMs += 4_000
    expect((await quote('firm-quote')).status).toBe(200)

    shiftMs += 1_500
    for (const path of ['indicative-quote', 'firm-quote', 'orderbook'])
      expect(await quote(path)).toMatchObject({
        status: 503,
        body: { success: false, code: 171009 },
      })
    expect((await ask(fork.ready.serviceUrl, 'chains')).status).toBe(200)
  })

  test('the next block brings it back at once', async () => {
    await fork.rpc.request(anvilCalls.mine)
    expect((await quote('firm-quote')).status).toBe(200)
  })

  test('a deadline counts from the chain when the chain is ahead', async () => {
    const hour = 3_600
    const now = Math.floor(clock.now() / 1_000)
    await fork.rpc.request(anvilCalls.setTime(now + hour))
    await fork.rpc.request(anvilCalls.mine)
    const { body } = await quote('firm-quote')
    expect(body.orders[0].deadlineTimestamp).toBeGreaterThanOrEqual(now + hour + 60)
  })
})
