import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getChainId } from '../../src/chain/calls/node.ts'
import { type Rpc, RpcRefused } from '../../src/chain/rpc/rpc.ts'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import { createSnapshots } from '../../src/service/createSnapshots.ts'
import type { Venue } from '../../src/service/venues/venue.ts'
import { ask } from '../support/ask.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { silent } from '../support/silent.ts'

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

/** A chain that answers at once, and counts who looks for its head. Several heads take turns; all of them are of 1970. */
function createStillChain(heads = ['01'], syncing: () => unknown = () => false) {
  const block = { number: '0x1', timestamp: '0x1', baseFeePerGas: '0x1' }
  let looks = 0
  const rpc: Rpc = {
    label: 'still',
    async request(call) {
      if (call.method === 'eth_syncing') return call.parse(syncing())
      if (call.method !== 'eth_getBlockByNumber') return call.parse('0x')
      const hash = `0x${(heads[looks % heads.length] ?? '').repeat(32)}`
      looks += 1
      return call.parse({ ...block, hash, parentHash: hash })
    },
    batch: async () => [] as never,
    close: async () => undefined,
    isOneExchange: () => true,
  }
  return { rpc, looks: () => looks }
}

test('snapshots: requests of one turn of the event loop share one look at the chain', async () => {
  const { rpc, looks } = createStillChain()
  const snapshots = createSnapshots({ rpc, venues: [], blockTimeSeconds: 1, clock, log: silent })
  await snapshots.latest()
  const before = looks()
  const asked = [snapshots.latest()]
  // As sockets are read: whatever a request can do without waiting is done before the next one comes.
  await new Promise(process.nextTick)
  asked.push(snapshots.latest())
  await Promise.all(asked)
  expect(looks() - before).toBe(1)
  await snapshots.close()
})

test('snapshots: nodes whose heads stand still are no news by taking turns, and a clock set back tells no age', async () => {
  let at = 1_000_000
  const time: Clock = { now: () => at, sleep: systemClock.sleep }
  const { rpc } = createStillChain(['01', '02'])
  const parts = { rpc, venues: [], blockTimeSeconds: 1, clock: time, log: silent }
  const snapshots = createSnapshots(parts)
  const [first, second] = [await snapshots.latest(), await snapshots.latest()]
  expect(first.block.hash).not.toBe(second.block.hash)
  at += 5_001
  for (const _ of [1, 2, 3])
    await expect(snapshots.latest()).rejects.toMatchObject({ code: 'STALE_STATE' })
  at -= 3_600_000
  await expect(snapshots.latest()).rejects.toMatchObject({ code: 'STALE_STATE' })
  await snapshots.close()
})

test('snapshots: a node that is catching up is not quoted from, however new its blocks are to us', async () => {
  let syncing: unknown = { currentBlock: '0x1', highestBlock: '0x9' }
  const { rpc } = createStillChain(['01', '02', '03'], () => syncing)
  const parts = { rpc, venues: [], blockTimeSeconds: 1, clock, log: silent }
  const snapshots = createSnapshots(parts)
  for (const _ of [1, 2, 3])
    await expect(snapshots.latest()).rejects.toMatchObject({ code: 'STALE_STATE' })
  // A fork's clock may be off: one that is not syncing is followed at any time it has.
  syncing = false
  expect((await snapshots.latest()).block.number).toBe(1)
  await snapshots.close()
})

test('snapshots: a block of which something could not be read is read again, and not at every request', async () => {
  const { rpc } = createStillChain()
  let at = 1_000_000
  let batches = 0
  let isLimited = true
  const limit = new RpcRefused('eth_call', { code: -32_005, message: 'rate limit' })
  const revert = new RpcRefused('eth_call', { code: 3, message: 'execution reverted' })
  const batch = async (calls: readonly unknown[]) => {
    batches += 1
    return calls.map((_, index) => {
      if (index === 0 && isLimited) return { ok: false, error: limit }
      return index === 1 ? { ok: false, error: revert } : { ok: true, value: 1 }
    })
  }
  const venueOf = (id: string): Venue => ({
    ...{ id, pairs: [], revision: () => 0 },
    reads: () => [getChainId],
    at: (_block, [answer]) => (answer?.ok === true ? ({ id } as never) : undefined),
  })
  const snapshots = createSnapshots({
    rpc: { ...rpc, batch: batch as Rpc['batch'] },
    venues: ['one', 'reverts', 'other'].map(venueOf),
    ...{ blockTimeSeconds: 10, clock: { now: () => at, sleep: systemClock.sleep }, log: silent },
  })
  for (const _ of [1, 2, 3]) expect((await snapshots.latest()).states).toEqual([{ id: 'other' }])
  const before = batches
  await snapshots.latest()
  expect(batches).toBe(before)
  isLimited = false
  at += 500
  expect((await snapshots.latest()).states).toEqual([{ id: 'one' }, { id: 'other' }])
  // That a contract reverts is what it says: it is not read again.
  const whole = batches
  at += 500
  await snapshots.latest()
  expect(batches).toBe(whole)
  await snapshots.close()
})

test('snapshots: a block of which nothing could be read is read again', async () => {
  const { rpc } = createStillChain()
  let isBehind = true
  const batch = async (calls: readonly unknown[]) =>
    calls.map(() =>
      isBehind
        ? {
            ok: false,
            error: new RpcRefused('eth_call', { code: -32_000, message: 'header not found' }),
          }
        : { ok: true, value: 1 },
    )
  const venue: Venue = {
    ...{ id: 'one', pairs: [], revision: () => 0 },
    reads: () => [getChainId],
    at: (_block, answers) => ({ answers }) as never,
  }
  const snapshots = createSnapshots({
    ...{ rpc: { ...rpc, batch: batch as Rpc['batch'] }, venues: [venue] },
    ...{ blockTimeSeconds: 1, clock, log: silent },
  })
  await expect(snapshots.latest()).rejects.toMatchObject({ code: 'STALE_STATE' })
  isBehind = false
  expect((await snapshots.latest()).states).toEqual([{ answers: [{ ok: true, value: 1 }] }])
  await snapshots.close()
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
