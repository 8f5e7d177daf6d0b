import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recover } from '../../src/app/recover.ts'
import { simulateByProbe } from '../../src/chain/calls/simulateByProbe.ts'
import { exitCodes } from '../../src/cli/exitCodes.ts'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import { callCli } from '../cli/callCli.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { startLyingNode } from '../support/lyingNode.ts'
import { openBotAt } from '../support/openBotAt.ts'
import { type Profile, startProvider } from '../support/startProvider.ts'

let fork: Fork

beforeAll(async () => {
  fork = await forkOrigin()
})
afterAll(async () => {
  await fork.close()
})

const oneWeth = { sell: '1 WETH', buy: 'USDC', floor: '2900 USDC' }

/** Endpoints that trade, each with what it takes under `chain:` of the configuration. */
const trading: readonly (readonly [name: string, profile: Profile, chain: string])[] = [
  [
    'no batches (an object says so), no eth_maxPriorityFeePerGas',
    { batch: { most: 0, refusal: 'object' }, lacks: ['eth_maxPriorityFeePerGas'] },
    '',
  ],
  ['no batches (a status says so)', { batch: { most: 0, refusal: 'status' } }, ''],
  ['batches of 3, each item refused', { batch: { most: 3, refusal: 'items' } }, ''],
  [
    'batches of 10, no eth_simulateV1',
    { batch: { most: 10, refusal: 'object' }, lacks: ['eth_simulateV1'] },
    '',
  ],
  ['traces outside of batches, any order', { alone: ['debug_traceCall'], backwards: true }, ''],
  ['a 429 in an item now and then', { limit: { every: 9, by: 'item' } }, ''],
  ['a 429 as status now and then', { limit: { every: 4, by: 'status' } }, ''],
  ['nodes one block apart', { behind: true }, ''],
  [
    'no traces, logs of 10 blocks',
    { lacks: ['debug_traceCall'], logs: 10 },
    'tracing: unavailable',
  ],
  ['a word for final blocks', {}, 'confirmations: finalized'],
]

describe('a swap settles through an endpoint with', () => {
  test.each(trading)('%s', async (_name, profile, chain) => {
    const provider = await startProvider(fork.ready.rpcUrl, profile)
    const bot = await openBotAt(fork, provider.url, chain)
    try {
      const { record, failure } = await bot.swap(oneWeth)
      expect(failure).toBeUndefined()
      expect(record.state).toBe('SETTLED')
    } finally {
      await bot.close()
      await provider.close()
    }
  })
})

/** The round trips to the node from a firm quote on until the bytes have left. */
async function tripsOf(profile: Profile) {
  const provider = await startProvider(fork.ready.rpcUrl, { ...profile, latencyMs: 20 })
  const bot = await openBotAt(fork, provider.url)
  try {
    let quotedAt = 0
    const quote: typeof bot.train.reading.quote = async (plan) => {
      const quoted = await bot.train.reading.quote(plan)
      quotedAt = provider.trips.length
      return quoted
    }
    const reading = { ...bot.train.reading, quote }
    // The coin needs no approval of its own, which would be a transaction between the two.
    const wish = { sell: '1 ETH', buy: 'USDC', floor: '2900 USDC' }
    expect((await bot.swap(wish, { reading })).failure).toBeUndefined()
    const after = provider.trips.slice(quotedAt)
    return after.findIndex((methods) => methods.includes('eth_sendRawTransaction')) + 1
  } finally {
    await bot.close()
    await provider.close()
  }
}

describe('from the firm quote until the bytes have left', () => {
  test.each<[name: string, profile: Profile, trips: number]>([
    ['an endpoint that takes everything', {}, 2],
    ['traces outside of batches', { alone: ['debug_traceCall'] }, 3],
  ])('%s: %o: %i round trips', async (_name, profile, trips) => {
    expect(await tripsOf(profile)).toBe(trips)
  })
})

describe('of two nodes', () => {
  /** Nothing is ever there: the port of a server that has ended may be another's by now. */
  const away = 'http://127.0.0.1:9'
  const withNext = () => `fallbackUrls: ["${fork.ready.rpcUrl}"]`

  test('the first dies after the firm quote: the swap settles through the next', async () => {
    const provider = await startProvider(fork.ready.rpcUrl, {})
    const bot = await openBotAt(fork, provider.url, withNext())
    try {
      const quote: typeof bot.train.reading.quote = async (plan) => {
        const quoted = await bot.train.reading.quote(plan)
        await provider.close()
        return quoted
      }
      const { record, failure } = await bot.swap(oneWeth, {
        reading: { ...bot.train.reading, quote },
      })
      expect(failure).toBeUndefined()
      expect(record.state).toBe('SETTLED')
    } finally {
      await bot.close()
    }
  })

  test('one is away at the start: it stops nothing; one that cannot trace does', async () => {
    const bot = await openBotAt(fork, away, withNext())
    expect((await bot.swap(oneWeth)).record.state).toBe('SETTLED')
    await bot.close()
    const unfit = await startProvider(fork.ready.rpcUrl, { lacks: ['debug_traceCall'] })
    try {
      const opening = openBotAt(fork, fork.ready.rpcUrl, `fallbackUrls: ["${unfit.url}"]`)
      await expect(opening).rejects.toMatchObject({
        code: 'TRACING_UNAVAILABLE',
        facts: { endpoint: unfit.url },
      })
    } finally {
      await unfit.close()
    }
  })

  test('the head of the first stands still: the swap settles through the next', async () => {
    const frozen = await startLyingNode(fork.ready.rpcUrl, {
      bend({ method, params }, answer) {
        if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest') return answer
        const timestamp = `0x${(Number(answer.result.timestamp) - 3_600).toString(16)}`
        return { ...answer, result: { ...answer.result, timestamp } }
      },
    })
    const bot = await openBotAt(fork, frozen.url, withNext())
    try {
      const { record, failure } = await bot.swap(oneWeth)
      expect(failure).toBeUndefined()
      expect(record.state).toBe('SETTLED')
    } finally {
      await bot.close()
      await frozen.close()
    }
  })

  test('one keeps no state of final blocks: a start warns of it and stops nothing, a failure is none', async () => {
    let error = { code: -32_000, message: 'missing trie node 0xab (path )' }
    const pruned = await startLyingNode(fork.ready.rpcUrl, {
      bend: ({ method, params }, answer) =>
        method === 'eth_getTransactionCount' && params[1] !== 'latest'
          ? { id: answer.id, error }
          : answer,
    })
    const witness = `witness: { rpcUrl: "${pruned.url}", above: 5000 USDC }`
    const warnings = async (chain: string) => {
      const bot = await openBotAt(fork, fork.ready.rpcUrl, chain)
      await bot.close()
      return bot.warnings
    }
    try {
      const warning = expect.stringMatching(/^\S+: The RPC endpoint keeps no state of block \d+ /)
      for (const second of [`fallbackUrls: ["${pruned.url}"]`, witness])
        expect(await warnings(`confirmations: finalized, ${second}`)).toEqual([warning])
      expect(await warnings(witness)).toEqual([])
      // Before what is open is followed, and before a halt ends the start.
      const bot = await openBotAt(fork, fork.ready.rpcUrl, `confirmations: finalized, ${witness}`)
      const { config, market, train, journal } = bot
      const halt = { kind: 'halt', scope: 'all', code: 'BY_OPERATOR', reason: 'a test' } as const
      await journal.locks.open({ ...halt, expiresAt: undefined })
      const lines: string[] = []
      const started = recover({
        ...{ config, market, train, signal: new AbortController().signal },
        onResumed: async () => {},
        warn: (line) => lines.push(line),
      })
      await expect(started).rejects.toMatchObject({ code: 'LOCKED' })
      expect(lines).toEqual([warning])
      await journal.locks.release({ id: undefined, reason: 'a test' })
      await bot.close()
      error = { code: -32_603, message: 'internal error' }
      expect(await warnings(`confirmations: finalized, ${witness}`)).toEqual([])
    } finally {
      await pruned.close()
    }
  })

  test('one whose gateway answers with a page for people stops nothing either', async () => {
    const ill = await startLyingNode(fork.ready.rpcUrl, {
      respond(_, response) {
        response.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad gateway</html>')
        return true
      },
    })
    const bot = await openBotAt(fork, ill.url, withNext())
    expect((await bot.swap(oneWeth)).record.state).toBe('SETTLED')
    await bot.close()
    await ill.close()
  })

  test('the next fails as it is asked for its chain: that is no wrong chain', async () => {
    const error = { code: -32_603, message: 'internal error' }
    const ill = await startLyingNode(fork.ready.rpcUrl, {
      bend: ({ method }, { id }) => (method === 'eth_chainId' ? { id, error } : undefined),
    })
    const bot = await openBotAt(fork, fork.ready.rpcUrl, `fallbackUrls: ["${ill.url}"]`)
    await bot.close()
    expect(ill.count('eth_chainId')).toBeGreaterThan(0)
    await ill.close()
  })

  test('the first is away: the books are compared with the chain through the next', async () => {
    const bot = await openBotAt(fork, away, withNext())
    await bot.close()
    const { code, stdout, stderr } = await callCli(
      ['reconcile', '--json', '--config', bot.config.file],
      { cwd: fork.dataDir },
    )
    const { checks } = JSON.parse(stdout) as { checks: { id: string; verdict: string }[] }
    expect(checks.filter(({ verdict }) => verdict !== 'holds')).toEqual([])
    expect(checks.map(({ id }) => id)).toContain('I9')
    expect([code, stderr]).toEqual([exitCodes.done, ''])
  })

  test('one that has no eth_simulateV1: the probe plays for both', async () => {
    const probing = await startProvider(fork.ready.rpcUrl, { lacks: ['eth_simulateV1'] })
    const bot = await openBotAt(fork, fork.ready.rpcUrl, `fallbackUrls: ["${probing.url}"]`)
    expect(bot.market.play).toBe(simulateByProbe)
    await bot.close()
    await probing.close()
  })
})

test('blocks of 250 ms through an endpoint 700 ms away: a swap settles', async () => {
  const fast = await forkOrigin()
  await fast.rpc.request(anvilCalls.mineEvery(0))
  const mining = new AbortController()
  const running = (async () => {
    while (!mining.signal.aborted) {
      const params = [Math.floor(Date.now() / 1_000)]
      const stamp = { method: 'evm_setNextBlockTimestamp', params, parse: () => undefined }
      await fast.rpc.batch([stamp, anvilCalls.mine])
      await delay(250)
    }
  })()
  const provider = await startProvider(fast.ready.rpcUrl, { latencyMs: 700 })
  const bot = await openBotAt(fast, provider.url, 'blockTime: 250ms')
  try {
    const { record, failure } = await bot.swap(oneWeth)
    expect(failure).toBeUndefined()
    expect(record.state).toBe('SETTLED')
  } finally {
    mining.abort()
    await running
    await bot.close()
    await provider.close()
    await fast.close()
  }
})

test.each<[lacks: string, profile: Profile, sentence: string, code: string]>([
  [
    'no simulation of any kind',
    { lacks: ['eth_simulateV1'], plain: true },
    'The RPC endpoint plays no scenario as a chain does, so no swap could be seen before it is signed: use another one.',
    'SIMULATION_UNFIT',
  ],
  [
    'no traces, which the configuration requires',
    { lacks: ['debug_traceCall'] },
    'The RPC endpoint cannot trace calls (debug_traceCall), so what a swap writes would not be seen: use another one, or write tracing: unavailable at unfit.yaml:',
    'TRACING_UNAVAILABLE',
  ],
])(
  '%s: doctor, a dry run and run end in the same sentence',
  async (_name, profile, sentence, refusal) => {
    const provider = await startProvider(fork.ready.rpcUrl, profile)
    const config = join(fork.dataDir, 'unfit.yaml')
    const yaml = readFileSync(fork.ready.config, 'utf8')
    writeFileSync(config, yaml.replace(fork.ready.rpcUrl, provider.url))
    const call = (...argv: string[]) =>
      callCli([...argv, '--config', config], { cwd: fork.dataDir })
    try {
      for (const command of ['doctor', 'dry-run', 'run']) {
        const { code, stdout, stderr } = await call(command)
        expect([command, code]).toEqual([command, exitCodes.usage])
        expect(`${stdout}${stderr}`.replace(/\s+/g, ' ')).toContain(sentence)
        // A report of doctor names no codes.
        if (command !== 'doctor') expect(stderr).toContain(`(${refusal})`)
      }
    } finally {
      await provider.close()
    }
  },
)
