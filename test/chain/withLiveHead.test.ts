import { expect, test } from 'vitest'
import { getBlock, hasBaseFee } from '../../src/chain/calls/node.ts'
import type { Rpc, RpcCall } from '../../src/chain/rpc/rpc.ts'
import { withFallbacks } from '../../src/chain/rpc/withFallbacks.ts'
import { withLiveHead } from '../../src/chain/withLiveHead.ts'

/** What the other endpoint is called for by a comparison. */
const compared = ['b eth_chainId', 'b eth_getBlockByNumber']

/** Names the endpoint that answers. */
const name: RpcCall<unknown> = { method: 'test_who', params: [], parse: (answer) => answer }

/** Two endpoints whose newest blocks have the times that a test says; the first is the preferred one. */
function twoNodes() {
  const time = { now: 1_000_000_000, a: 1_000_000, b: 1_000_000 as number | Error, chainOfB: 1 }
  const calls: string[] = []
  const node = (label: 'a' | 'b'): Rpc => {
    const answer = ({ method, parse }: RpcCall<unknown>) => {
      calls.push(`${label} ${method}`)
      const head = time[label]
      if (head === 0 && method === 'eth_getBlockByNumber') return undefined
      if (head instanceof Error) throw head
      if (method === 'eth_chainId') return label === 'b' ? time.chainOfB : 1
      if (method === 'test_who') return label
      const hash = `0x${'1'.repeat(64)}`
      const [number, timestamp, baseFeePerGas] = ['0x1', `0x${head.toString(16)}`, '0x1']
      return parse({ number, hash, parentHash: hash, timestamp, baseFeePerGas })
    }
    return {
      label,
      request: async (call) => answer(call) as never,
      batch: async (asked) => asked.map((call) => ({ ok: true, value: answer(call) })) as never,
      isOneExchange: () => true,
      close: async () => {},
    }
  }
  const [a, b] = [node('a'), node('b')]
  const limit = { clock: { now: () => time.now }, ageMsMax: 30_000, chainId: 1 }
  const rpc = withFallbacks([withLiveHead(a, [b], limit), withLiveHead(b, [a], limit)], limit.clock)
  return {
    rpc,
    time,
    pass: (seconds: number) => {
      time.now += seconds * 1_000
    },
    head: async () => (await rpc.request(getBlock('latest')))?.timestamp,
    who: () => rpc.request(name),
    /** What was called since this was called last. */
    called: () => calls.splice(0),
  }
}

test('a head that stands still: the next endpoint is read, until the first has caught up', async () => {
  const { rpc, time, pass, head, who, called } = twoNodes()
  pass(31)
  time.b = 1_000_031
  expect(await head()).toBe(1_000_031)
  expect(await who()).toBe('b')
  called()
  // Its rest is over, and it still stands: nothing else is read of it.
  pass(16)
  time.b = 1_000_047
  expect(await who()).toBe('b')
  expect(called()).toEqual(['a eth_getBlockByNumber', ...compared, 'b test_who'])
  pass(31)
  time.a = 1_000_078
  expect(await who()).toBe('a')
  called()
  expect(await who()).toBe('a')
  expect(called()).toEqual(['a test_who'])
  time.b = 1_000_109
  pass(31)
  expect(await rpc.batch([name, getBlock('latest')])).toMatchObject([{ value: 'b' }, {}])
})

test.each<[string, (world: ReturnType<typeof twoNodes>) => void, string[]]>([
  ['that is no older than the limit', ({ pass }) => pass(30), []],
  ['of a quiet chain', ({ pass }) => pass(31), compared],
  [
    'that is behind by the limit',
    ({ pass, time }) => {
      pass(31)
      time.b = 1_000_030
    },
    compared,
  ],
  [
    'beside one that is in the future',
    ({ pass, time }) => {
      pass(31)
      time.b = 1_000_062
    },
    compared,
  ],
  [
    'beside an endpoint that is away',
    ({ pass, time }) => {
      pass(31)
      time.b = new Error('away')
    },
    ['b eth_chainId'],
  ],
  [
    'beside one of another chain',
    ({ pass, time }) => {
      pass(31)
      time.b = 1_000_031
      time.chainOfB = 2
    },
    compared,
  ],
])('a head %s is an answer, and compared once in a while', async (_, bend, calls) => {
  const world = twoNodes()
  bend(world)
  expect(await world.head()).toBe(1_000_000)
  expect(await world.who()).toBe('a')
  expect(await world.head()).toBe(1_000_000)
  const rest = ['a test_who', 'a eth_getBlockByNumber']
  expect(world.called()).toEqual(['a eth_getBlockByNumber', ...calls, ...rest])
})

test('a head that is no block has no age', async () => {
  const { rpc, time, pass, called } = twoNodes()
  pass(31)
  time.b = 1_000_031
  expect(await rpc.request(hasBaseFee)).toBe(true)
  expect(called()).toEqual(['a eth_getBlockByNumber'])
})

test('a clock that is set back compares again', async () => {
  const { time, pass, head, called } = twoNodes()
  pass(3_600)
  time.b = 1_000_000
  await head()
  called()
  pass(-3_500)
  time.b = 1_000_090
  expect(await head()).toBe(1_000_090)
})

test('known to be behind, an endpoint that gives no head gives nothing else either', async () => {
  const { rpc, time, pass, head } = twoNodes()
  pass(31)
  time.b = 1_000_031
  await head()
  pass(16)
  time.b = 1_000_047
  time.a = 0
  expect(await rpc.batch([name])).toMatchObject([{ value: 'b' }])
  pass(16)
  expect(await rpc.batch([name, getBlock('latest')])).toMatchObject([{ value: 'b' }, {}])
})
