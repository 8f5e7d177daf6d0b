import { expect, test } from 'vitest'
import { getChainId } from '../../../src/chain/calls/node.ts'
import { type Rpc, RpcGarbled, RpcRefused } from '../../../src/chain/rpc/rpc.ts'
import { withFallbacks } from '../../../src/chain/rpc/withFallbacks.ts'
import { ballastError } from '../../../src/core/errors.ts'

/** Endpoints that answer with their own name, or fail as the test says. */
function endpoints() {
  let now = 1_000_000
  const failures = new Map<string, Error>()
  const calls: string[] = []
  /** Calls of a batch that an endpoint refuses, by its name and their place. */
  const refused = new Map<string, Error>()
  const node = (label: string): Rpc => {
    const answer = async () => {
      calls.push(label)
      const failure = failures.get(label)
      if (failure !== undefined) throw failure
      return label as never
    }
    const batch = async (asked: readonly unknown[]) => {
      const of = await answer()
      return asked.map((_, at) => {
        const error = refused.get(`${label}${at}`)
        return error === undefined ? { ok: true, value: of } : { ok: false, error }
      }) as never
    }
    return {
      ...{ label, request: answer, batch, close: async () => {} },
      isOneExchange: () => label === 'b',
    }
  }
  const rpc = withFallbacks([node('a'), node('b'), node('c')], { now: () => now })
  return {
    rpc,
    failures,
    refused,
    calls,
    pass: (ms: number) => {
      now += ms
    },
    ask: () => rpc.request(getChainId) as Promise<unknown>,
  }
}

const away = ballastError('UNREACHABLE', 'It is away.')

test.each([
  ['silent', away],
  ['garbled', new RpcGarbled('a', 'HTTP 502, not JSON')],
  ['limits calls', new RpcRefused('eth_chainId', { code: 429, message: 'slower' })],
  ...(
    [
      [-32_603, 'Internal error'],
      [-32_001, 'Unable to complete request at this time.'],
      [-32_002, 'request timed out'],
      [19, 'Temporary internal error. Please retry'],
      [30, 'Request timeout on the free plan'],
      [-32_001, "You've reached the usage limit"],
      [-32_000, 'header not found'],
    ] as const
  ).map(([code, message]): [string, Error] => [
    `fails by itself (${message})`,
    new RpcRefused('eth_chainId', { code, message }),
  ]),
  [
    'fails with an HTTP status',
    new RpcRefused('eth_chainId', { code: -32_000, message: 'no', status: 503 }),
  ],
  ...[
    [401, -32_600, 'Must be authenticated!'],
    [403, -32_000, 'API key is not allowed to access the network'],
    [402, -32_600, 'Payment required: your plan has expired'],
    [403, -32_600, 'API key disabled. Upgrade at the dashboard'],
    [401, -32_000, 'Unauthorized, trace id 8f3a'],
  ].map(([status, code, message]): [string, Error] => [
    `refuses the key (${message})`,
    new RpcRefused('eth_chainId', {
      ...{ code: Number(code), message: String(message), status: Number(status) },
    }),
  ]),
])('%s: the next one is read, and the first is left alone for 15 seconds', async (_, failure) => {
  const { ask, failures, calls, pass } = endpoints()
  failures.set('a', failure)
  expect([await ask(), await ask()]).toEqual(['b', 'b'])
  expect(calls).toEqual(['a', 'b', 'b'])
  failures.delete('a')
  pass(14_999)
  expect(await ask()).toBe('b')
  pass(1)
  expect(await ask()).toBe('a')
})

test.each<[string, Error]>([
  ['a revert', new RpcRefused('eth_call', { code: 3, message: 'execution reverted' })],
  [
    'a revert of a node that calls it an internal error',
    new RpcRefused('eth_call', { code: -32_603, message: 'VM execution error: revert' }),
  ],
  [
    'a method that is not there, as HTTP 500',
    new RpcRefused('eth_call', { code: -32_601, message: 'no such method', status: 500 }),
  ],
  [
    'a method that a plan has not got',
    new RpcRefused('eth_call', {
      ...{ code: -32_600, message: 'trace_call is not available on the Free tier', status: 403 },
    }),
  ],
  ...[
    'Archive, Debug and Trace requests are not available on your current plan',
    'custom trace not found in allowed custom traces',
    'archive requests require a paid tier',
  ].map((message): [string, Error] => [
    `of a plan (${message})`,
    new RpcRefused('eth_call', { code: -32_002, message, status: 403 }),
  ]),
  [
    'a method that is not there, as HTTP 403',
    new RpcRefused('eth_call', { code: -32_601, message: 'not available', status: 403 }),
  ],
  ['a state that is pruned', new RpcRefused('eth_call', { code: -32_000, message: 'pruned' })],
  ['an address without that view', new RpcGarbled('a', 'shape', { shape: 'empty' })],
])('%s is an answer: nobody else is called', async (_, failure) => {
  const { ask, failures, calls } = endpoints()
  failures.set('a', failure)
  await expect(ask()).rejects.toBe(failure)
  expect(calls).toEqual(['a'])
})

test('one that comes and goes is left alone twice as long each time, five minutes at most', async () => {
  const { ask, failures, pass } = endpoints()
  const pauses: number[] = []
  for (let times = 0; times < 7; times += 1) {
    failures.set('a', away)
    expect(await ask()).toBe('b')
    failures.delete('a')
    let paused = 0
    while ((await ask()) !== 'a') {
      pass(1_000)
      paused += 1
    }
    pauses.push(paused)
  }
  expect(pauses).toEqual([15, 30, 60, 120, 240, 300, 300])
  // Ten minutes without a failure, and it is as good as new.
  pass(601_000)
  failures.set('a', away)
  expect(await ask()).toBe('b')
  pass(15_000)
  failures.delete('a')
  expect(await ask()).toBe('a')
})

test('calls that fail together are one trouble, and so are those while it is left alone', async () => {
  const { ask, failures, pass } = endpoints()
  for (const label of ['a', 'b', 'c']) failures.set(label, away)
  const failed = () => expect(ask()).rejects.toBe(away)
  await Promise.all(Array.from({ length: 6 }, failed))
  pass(5_000)
  await Promise.all(Array.from({ length: 6 }, failed))
  failures.clear()
  pass(10_000)
  expect(await ask()).toBe('a')
})

test('where all are away, all are called, and the first failure is told', async () => {
  const { ask, rpc, failures, calls } = endpoints()
  for (const label of ['a', 'b', 'c'])
    failures.set(label, ballastError('UNREACHABLE', `${label} is away.`))
  await expect(ask()).rejects.toThrow('a is away.')
  expect(calls).toEqual(['a', 'b', 'c'])
  // A rest is no refusal: they are called again, the one that rests the shortest first.
  failures.delete('c')
  expect(await rpc.batch([getChainId])).toEqual([{ ok: true, value: 'c' }])
})

test('a limit that comes with a call of a batch sends all of it to the next; a refusal does not', async () => {
  const { rpc, refused, calls } = endpoints()
  const batch = () => rpc.batch([getChainId, getChainId])
  refused.set('a0', new RpcRefused('eth_call', { code: 3, message: 'execution reverted' }))
  expect(await batch()).toMatchObject([{ ok: false }, { ok: true, value: 'a' }])
  refused.set('a1', new RpcRefused('eth_chainId', { code: -32_005, message: 'rate limit' }))
  expect(await batch()).toEqual(['b', 'b'].map((value) => ({ ok: true, value })))
  expect(calls).toEqual(['a', 'a', 'b'])
  // Where every one limits, what the first did answer is kept.
  for (const label of ['b', 'c'])
    refused.set(`${label}1`, new RpcRefused('eth_chainId', { code: 429, message: 'slower' }))
  expect(await batch()).toMatchObject([{ ok: true, value: 'b' }, { ok: false }])
})

test('what one exchange is depends on the one that is read now', async () => {
  const { ask, rpc, failures } = endpoints()
  expect(rpc.isOneExchange([])).toBe(false)
  failures.set('a', away)
  await ask()
  expect(rpc.isOneExchange([])).toBe(true)
})
