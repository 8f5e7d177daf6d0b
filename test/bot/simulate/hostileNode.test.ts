import { gzipSync } from 'node:zlib'
import { toFunctionSelector } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openMarket } from '../../../src/app/openMarket.ts'
import { requote } from '../../../src/bot/swap.ts'
import { simulateByProbe } from '../../../src/chain/calls/simulateByProbe.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { anvilCalls } from '../../../src/sandbox/startAnvil.ts'
import { type Fork, forkOrigin } from '../../support/forkOrigin.ts'
import { type Answer, type Asked, type Lies, startLyingNode } from '../../support/lyingNode.ts'
import { placeMoodyToken } from '../../support/moodyToken.ts'
import { openBotAt } from '../../support/openBotAt.ts'

type Node = Awaited<ReturnType<typeof startLyingNode>>
type Bot = Awaited<ReturnType<typeof openBotAt>>

const wish = { sell: '1 ETH', buy: 'USDC', floor: '2900 USDC' }

/** What a refusal is known by: its code, and the names of the checks that failed. */
const reasons = (failure: unknown): readonly unknown[] => {
  const { code, checks = [] } = failure as {
    code?: string
    checks?: { name: string; ok: boolean }[]
  }
  return [code, ...checks.filter(({ ok }) => !ok).map(({ name }) => name)]
}

/** Lies about every answer of one method. */
const about =
  (method: string, lie: (answer: Answer, asked: Asked) => Answer) =>
  (asked: Asked, answer: Answer) =>
    asked.method === method ? lie(answer, asked) : answer
const says = (method: string, result: unknown) =>
  about(method, ({ id }) => ({ jsonrpc: '2.0', id, result }))
const fails = (method: string, message = 'no') =>
  about(method, ({ id }) => ({ jsonrpc: '2.0', id, error: { code: -32_000, message } }))
/** Whether it is called by its number or by its hash. */
const head =
  (change: (block: Answer) => void): NonNullable<Lies['bend']> =>
  ({ method }, answer) => {
    if (method.startsWith('eth_getBlockBy')) change(answer.result)
    return answer
  }
const later = (hex: string, seconds: number) => `0x${(Number(hex) + seconds).toString(16)}`
const played = (change: (block: Answer, asked: Asked) => void) =>
  about('eth_simulateV1', (answer, asked) => {
    change(answer.result[0], asked)
    return answer
  })
const manyBytes = `0x${'41'.repeat(2_000_000)}`

describe('one node that lies', () => {
  let fork: Fork
  let node: Node
  let bot: Bot
  beforeAll(async () => {
    fork = await forkOrigin()
    node = await startLyingNode(fork.ready.rpcUrl)
    bot = await openBotAt(fork, node.url)
    // So that there is a nonce below the right one.
    expect((await bot.swap(wish)).record.state).toBe('SETTLED')
  })
  afterAll(async () => {
    await bot.close()
    await node.close()
    await fork.close()
  })
  beforeEach(() => {
    node.lie({})
    bot.signed.length = 0
    node.seen.length = 0
  })

  const lies: Record<string, { lies: Lies; by: string }> = {
    '[RPC-14] [RPC-15] another chain': {
      lies: { bend: says('eth_chainId', '0x1') },
      by: 'simulate.chain-id',
    },
    'other code at the router': {
      lies: { bend: says('eth_getCode', '0x00') },
      by: 'FUND_ROUTER_CODE',
    },
    'no code at the router': { lies: { bend: says('eth_getCode', '0x') }, by: 'FUND_ROUTER_CODE' },
    '[RPC-12] ids of other questions': {
      lies: { bend: (_, answer) => ({ ...answer, id: answer.id + 1_000 }) },
      by: 'RPC_GARBLED',
    },
    '[RPC-12] every id twice': {
      lies: {
        respond: (answers, response) => {
          response.end(JSON.stringify([...answers, ...answers]))
          return true
        },
      },
      by: 'RPC_GARBLED',
    },
    '[RPC-12] answers that changed places': {
      lies: {
        bend: (() => {
          const fee = '0x3b9aca00'
          return (asked: Asked, answer: Answer) =>
            asked.method === 'eth_getTransactionCount' ? { ...answer, result: fee } : answer
        })(),
      },
      by: 'NONCE_DIVERGED',
    },
    '[RPC-18] a head of an hour ago': {
      lies: {
        bend: head((block) => {
          block.timestamp = later(block.timestamp, -3_600)
        }),
      },
      by: 'simulate.head-age',
    },
    'a head of tomorrow': {
      lies: {
        bend: head((block) => {
          block.timestamp = later(block.timestamp, 86_400)
        }),
      },
      by: 'simulate.head-ahead',
    },
    '[RPC-13] no head': {
      lies: { bend: says('eth_getBlockByNumber', null) },
      by: 'SIMULATION_UNAVAILABLE',
    },
    '[RPC-18] a simulation on another block': {
      lies: {
        bend: played((block) => {
          block.number = later(block.number, 3)
        }),
      },
      by: 'simulate.same-block',
    },
    'a simulation on another branch': {
      lies: {
        bend: played((block) => {
          block.number = later(block.number, 1)
          block.parentHash = `0x${'12'.repeat(32)}`
        }),
      },
      by: 'simulate.same-block',
    },
    'a simulation that is missing': {
      lies: { bend: about('eth_simulateV1', ({ id }) => ({ jsonrpc: '2.0', id })) },
      by: 'SIMULATION_UNAVAILABLE',
    },
    'a simulation of nothing': {
      lies: { bend: says('eth_simulateV1', []) },
      by: 'SIMULATION_UNAVAILABLE',
    },
    'a simulation of fewer calls': {
      lies: { bend: played((block) => block.calls.pop()) },
      by: 'SIMULATION_UNAVAILABLE',
    },
    'a swap that works after its deadline': {
      lies: {
        bend: played((block, { nth }) => {
          if (nth === 2) block.calls[0].status = '0x1'
        }),
      },
      by: 'simulate.swap-after-deadline',
    },
    'a revert of two million bytes': {
      lies: {
        bend: played((block) => {
          for (const call of block.calls)
            Object.assign(call, { status: '0x0', returnData: manyBytes })
        }),
      },
      by: 'HTTP_TOO_LARGE',
    },
    'a swap that reverts with two million bytes': {
      lies: {
        bend: played((block, { nth }) => {
          if (nth === 1) Object.assign(block.calls[1], { status: '0x0', returnData: manyBytes })
        }),
      },
      by: 'simulate.swap-at-deadline',
    },
    'a complaint of two million letters': {
      lies: { bend: fails('eth_getBalance', `\u001b[31m${manyBytes}`) },
      by: 'RPC_REFUSED',
    },
    'an error for the nonce': {
      lies: { bend: fails('eth_getTransactionCount') },
      by: 'SIMULATION_UNAVAILABLE',
    },
    'a result and an error': {
      lies: {
        bend: about('eth_chainId', (answer) => ({ ...answer, error: { code: 1, message: 'no' } })),
      },
      by: 'RPC_GARBLED',
    },
    '[RPC-25] no base fee': {
      lies: {
        bend: head((block) => {
          delete block.baseFeePerGas
        }),
      },
      by: 'SIMULATION_UNAVAILABLE',
    },
    '[RPC-24] a base fee of 1,200,000 gwei': {
      lies: {
        bend: head((block) => {
          block.baseFeePerGas = `0x${(1_200_000n * 10n ** 9n).toString(16)}`
        }),
      },
      by: 'simulate.gas-price',
    },
    'a nonce that is too high': {
      lies: { bend: says('eth_getTransactionCount', '0xffff') },
      by: 'NONCE_DIVERGED',
    },
    '[RPC-16] a nonce that is too low': {
      lies: { bend: says('eth_getTransactionCount', '0x0') },
      by: 'NODE_BEHIND',
    },
    'a trace of nothing': {
      lies: {
        bend: about('debug_traceCall', (answer) =>
          'pre' in answer.result ? { ...answer, result: { pre: {}, post: {} } } : answer,
        ),
      },
      by: 'simulate.swap-traced',
    },
    'no traces': { lies: { bend: fails('debug_traceCall') }, by: 'SIMULATION_UNAVAILABLE' },
    'a redirect': {
      lies: {
        respond: (_, response) => {
          response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end()
          return true
        },
      },
      by: 'HTTP_REDIRECT',
    },
    '[RPC-11] no JSON': {
      lies: {
        respond: (_, response) => {
          response.end('<html>bad gateway</html>')
          return true
        },
      },
      by: 'RPC_GARBLED',
    },
    '[RPC-10] a bomb of gzip': {
      lies: {
        respond: (_, response) => {
          response
            .writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' })
            .end(gzipSync(`[${' '.repeat(50_000_000)}]`))
          return true
        },
      },
      by: 'RPC_GARBLED',
    },
    '[RPC-10] seventeen million bytes': {
      lies: {
        respond: (_, response) => {
          response.end(`[${' '.repeat(17 * 1024 * 1024)}]`)
          return true
        },
      },
      by: 'HTTP_TOO_LARGE',
    },
  }
  for (const [name, { lies: told, by }] of Object.entries(lies))
    test(`${name}: nothing is signed, nothing is sent`, async () => {
      // The references would notice some of these first: the lie begins where the stage that is meant first looks.
      const { fund, appraise, simulate, ...rest } = bot.train.reading
      const meant = /^simulate|^SIMULATION/i.test(by) ? 'simulate' : 'fund'
      const lying =
        <value, result>(stage: (value: value) => Promise<result>, own: string) =>
        (value: value) => {
          if (own === meant) node.lie(told)
          return stage(value)
        }
      const reading = {
        ...rest,
        fund: lying(fund, 'fund'),
        appraise: async (funded: Parameters<typeof appraise>[0]) => {
          if (meant === 'simulate') node.lie({})
          return appraise(funded)
        },
        simulate: lying(simulate, 'simulate'),
      }
      const { failure, record } = await bot.swap(wish, { signer: bot.signer, reading })
      expect(reasons(failure)).toContain(by)
      expect(bot.signed).toEqual([])
      expect(node.count('eth_sendRawTransaction')).toBe(0)
      // What a node says is cut and cannot steer a terminal, wherever it ends up.
      expect((failure as Error).message.length).toBeLessThan(3_000)
      expect((failure as Error).message + record.reason).not.toContain('\u001b')
      expect(JSON.stringify(record).length).toBeLessThan(60_000)
    })

  test('[RPC-12] a batch in another order: is read by its ids', async () => {
    node.lie({
      respond: (answers, response) => {
        response.end(JSON.stringify(answers.length > 1 ? [...answers].reverse() : answers[0]))
        return true
      },
    })
    const { simulation } = await bot.preview(wish)
    expect(simulation.spent.wei).toBe(10n ** 18n)
  })
})

describe('two nodes', () => {
  let fork: Fork
  let node: Node
  let witness: Node
  let bot: Bot
  beforeAll(async () => {
    // A block comes each second. The service expects one in ten minutes: it must not call the chain stale while a test
    // holds the blocks back.
    fork = await forkOrigin({
      world: (world) => ({ ...world, chain: { ...world.chain, blockTimeSeconds: 600 } }),
    })
    await fork.rpc.request(anvilCalls.mineEvery(1))
    node = await startLyingNode(fork.ready.rpcUrl)
    witness = await startLyingNode(fork.ready.rpcUrl)
    bot = await openBotAt(fork, node.url, `witness: { rpcUrl: "${witness.url}", above: 1000 USD }`)
  })
  afterAll(async () => {
    await bot.close()
    await node.close()
    await witness.close()
    await fork.close()
  })
  beforeEach(() => {
    node.lie({})
    witness.lie({})
    bot.signed.length = 0
    for (const one of [node, witness]) {
      one.seen.length = 0
      one.exchanges.length = 0
    }
  })

  const settles = { timeout: 30_000 }
  test('that agree: each is asked one batch between quote and signature', settles, async () => {
    let quotedAt = [0, 0]
    const quote: typeof bot.train.reading.quote = async (appraised) => {
      const quoted = await bot.train.reading.quote(appraised)
      quotedAt = [node.exchanges.length, witness.exchanges.length]
      return quoted
    }
    let asked: string[][] = []
    const sign: typeof bot.signer.sign = async (what) => {
      asked = [node.exchanges.slice(quotedAt[0]), witness.exchanges.slice(quotedAt[1])].flat()
      return bot.signer.sign(what)
    }
    const reading = { ...bot.train.reading, quote }
    const { record } = await bot.swap(wish, { reading, signer: { ...bot.signer, sign } })
    expect(record.state).toBe('SETTLED')
    expect(asked).toHaveLength(2)
    for (const batch of asked)
      expect(batch.filter((method) => method === 'eth_simulateV1')).toHaveLength(3)
  })

  test(
    'of which one calls a settled swap reverted: it is not dead before the other says so',
    settles,
    async () => {
      const used = toFunctionSelector('usedAuthorization(bytes32)')
      const before = bot.troubles.length
      node.lie({
        bend: ({ method, params }, answer) => {
          if (bot.troubles.length > before) return answer
          const { result } = answer
          if (method === 'eth_call' && JSON.stringify(params).includes(used))
            return { ...answer, result: `0x${'0'.repeat(64)}` }
          if (
            method === 'eth_getTransactionReceipt' &&
            result?.to === fork.ready.router.toLowerCase()
          )
            return { ...answer, result: { ...result, status: '0x0' } }
          return answer
        },
      })
      const { record } = await bot.swap(wish)
      expect(bot.troubles.slice(before)).toMatchObject([{ code: 'DEATH_UNCONFIRMED' }])
      expect(record.state).toBe('SETTLED')
      expect(witness.count('eth_getTransactionReceipt')).toBeGreaterThan(0)
    },
  )

  const lies: Record<string, { own?: Lies; other?: Lies; by: string }> = {
    '[RPC-14] [RPC-15] another chain': {
      other: { bend: says('eth_chainId', '0x1') },
      by: 'chain-id',
    },
    'other code': { other: { bend: says('eth_getCode', '0x00') }, by: 'router-code' },
    'another head of the same number': {
      other: {
        bend: head((block) => {
          block.hash = `0x${'12'.repeat(32)}`
        }),
      },
      by: 'head',
    },
    'a head far behind': {
      other: {
        bend: head((block) => {
          block.number = '0x0'
        }),
      },
      by: 'head',
    },
    'another nonce': { other: { bend: says('eth_getTransactionCount', '0x7') }, by: 'nonce' },
    'a quote that was used': {
      other: {
        bend: played((block, { nth }) => {
          if (nth === 0) block.calls[0].returnData = `0x${'1'.padStart(64, '0')}`
        }),
      },
      by: 'authorization',
    },
    'a swap that reverts': {
      other: {
        bend: played((block, { nth }) => {
          if (nth === 0) for (const call of block.calls) call.status = '0x0'
        }),
      },
      by: 'swap',
    },
    'three times the base fee': {
      other: {
        bend: head((block) => {
          block.baseFeePerGas = later(block.baseFeePerGas, 3 * Number(block.baseFeePerGas))
        }),
      },
      by: 'base-fee',
    },
    silence: {
      other: {
        respond: (_, response) => {
          response.destroy()
          return true
        },
      },
      by: 'reachable',
    },
  }
  for (const [name, { own = {}, other = {}, by }] of Object.entries(lies))
    test(`that differ, ${name}: nothing is signed`, async () => {
      // The references are read through both nodes, and would notice some of these first.
      const { appraise, simulate, ...rest } = bot.train.reading
      const reading = {
        ...rest,
        appraise: async (funded: Parameters<typeof appraise>[0]) => {
          node.lie({})
          witness.lie({})
          return appraise(funded)
        },
        simulate: async (permitted: Parameters<typeof simulate>[0]) => {
          // A block between the two looks would make of two hashes the heads of two numbers, which is no lie.
          await fork.rpc.request(anvilCalls.mineEvery(0))
          node.lie(own)
          witness.lie(other)
          return simulate(permitted).finally(() => fork.rpc.request(anvilCalls.mineEvery(1)))
        },
      }
      const { failure } = await bot.swap(wish, { signer: bot.signer, reading })
      expect(reasons(failure)).toContain(`simulate.witness-${by}`)
      expect(bot.signed).toEqual([])
      expect(node.count('eth_sendRawTransaction')).toBe(0)
    })

  describe('of which one makes a bad token look good', () => {
    afterEach(async () => (await placeMoodyToken(fork, 'USDC')).feel('good'))
    test('the other one tells, and nothing is signed', async () => {
      await (await placeMoodyToken(fork, 'USDC')).feel('two-faced')
      // The liar shows the balance that the quote promised: alone it would be believed.
      node.lie({
        bend: played((block, { nth, params }) => {
          const calls = (params as Answer)[0].blockStateCalls[0].calls
          const usdc = fork.ready.tokens.USDC?.address.toLowerCase()
          const reads = calls.flatMap(({ to, input }: Answer, index: number) =>
            to.toLowerCase() === usdc && input.startsWith('0x70a08231') ? [index] : [],
          )
          if (nth > 1 || reads.length === 0) return
          const last = block.calls[reads.at(-1)]
          const wei = BigInt(last.returnData) + 3_000_000_000n
          last.returnData = `0x${wei.toString(16).padStart(64, '0')}`
        }),
      })
      const { failure } = await bot.swap(wish, { signer: bot.signer })
      expect(reasons(failure)).toContain('simulate.witness-received')
      expect(bot.signed).toEqual([])
      expect(witness.count('eth_sendRawTransaction')).toBe(0)
    })
  })

  test('a witness that is away leaves nothing valued, and nothing is signed', async () => {
    witness.lie({
      respond: (_, response) => {
        response.destroy()
        return true
      },
    })
    await expect(bot.swap(wish, { signer: bot.signer })).rejects.toMatchObject({
      code: 'POLICY_VALUED',
    })
    expect(bot.signed).toEqual([])
  })

  test('a witness that was away at the start plays as it can once it is there', async () => {
    const away: Lies = {
      respond: (_, response) => {
        response.destroy()
        return true
      },
    }
    witness.lie(away)
    const market = await openMarket(bot.config, systemClock)
    try {
      await expect(market.witness?.findPlay()).rejects.toMatchObject({ fault: 'upstream' })
      witness.lie({
        bend: ({ method }, answer) =>
          method === 'eth_simulateV1'
            ? { jsonrpc: '2.0', id: answer.id, error: { code: -32_601, message: 'no such method' } }
            : answer,
      })
      expect(await market.witness?.findPlay()).toBe(simulateByProbe)
      // It is found once.
      witness.lie(away)
      expect(await market.witness?.findPlay()).toBe(simulateByProbe)
    } finally {
      await market.close()
    }
  })

  test('a small swap whose worth is known is not witnessed', async () => {
    const { fund } = bot.train.reading
    const played = async (sell: string, floor: string) => {
      witness.seen.length = 0
      const funded = await fund(await bot.planned({ sell, buy: 'USDC', floor }))
      await requote(funded, bot.train.reading)
      return witness.count('eth_simulateV1')
    }
    expect(await played('0.33 WETH', '900 USDC')).toBe(0)
    expect(await played('0.34 WETH', '900 USDC')).toBe(3)
  })
})
