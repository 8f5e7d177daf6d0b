import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { keccak256 } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { broadcast } from '../../../src/bot/broadcast/broadcast.ts'
import { type Journaled, pass } from '../../../src/bot/stages.ts'
import { isTakenVerdict, type Verdict } from '../../../src/bot/verdict.ts'
import { getReceipt } from '../../../src/chain/calls/getReceipt.ts'
import { createRpc } from '../../../src/chain/rpc/createRpc.ts'
import { type Rpc, RpcRefused } from '../../../src/chain/rpc/rpc.ts'
import { withRetries } from '../../../src/chain/rpc/withRetries.ts'
import type { BallastError } from '../../../src/core/errors.ts'
import { type Anvil, anvilCalls, startAnvil } from '../../../src/sandbox/startAnvil.ts'
import { heldDeadlines } from '../../support/heldDeadlines.ts'
import { type Answer, type Lies, startLyingNode } from '../../support/lyingNode.ts'
import { until } from '../../support/until.ts'

type Node = Awaited<ReturnType<typeof startLyingNode>>

const account = privateKeyToAccount(generatePrivateKey())
/** Of each chain; what the account has is not looked at twice. */
let chains: readonly Anvil[]
let chainRpcs: readonly Rpc[]
/** In front of each chain. */
let nodes: readonly Node[]
let opened: Rpc[] = []
let nonce = 0
let contradictions: BallastError[] = []

beforeAll(async () => {
  chains = await Promise.all([startAnvil(), startAnvil()])
  chainRpcs = chains.map(({ rpcUrl }) => createRpc({ url: rpcUrl }))
  for (const rpc of chainRpcs) await rpc.request(anvilCalls.setBalance(account.address, 10n ** 18n))
  nodes = await Promise.all(chains.map(({ rpcUrl }) => startLyingNode(rpcUrl)))
})
afterAll(async () => {
  await Promise.all([...chainRpcs.map((rpc) => rpc.close()), ...nodes.map((node) => node.close())])
  await Promise.all(chains.map((chain) => chain.close()))
})
beforeEach(() => {
  contradictions = []
  for (const node of nodes) {
    node.lie({})
    node.seen.length = 0
  }
})
afterEach(async () => {
  await Promise.all(opened.map((rpc) => rpc.close()))
  opened = []
})

const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n }

/** Signed bytes as the journal has them, of the next nonce unless told otherwise. */
async function bytes(
  change: Partial<Parameters<typeof account.signTransaction>[0]> = {},
  signer = account,
) {
  const raw = await signer.signTransaction({
    type: 'eip1559',
    chainId: 31_337,
    nonce: nonce++,
    to: account.address,
    gas: 21_000n,
    ...fees,
    ...(change as object),
  })
  return pass<Journaled>({ raw, hash: keccak256(raw), swapId: 'one' } as never)
}

/** The way to a node as the bot has it. */
function wayTo(node: { url: string }, { timeoutMs = 60_000, maxBytes = 1_000_000 } = {}): Rpc {
  const rpc = createRpc({ url: node.url, timeoutMs, maxBytes })
  opened.push(rpc)
  return rpc
}

/** Every answer of it has come, or its deadline. */
async function closed(rpc: Rpc): Promise<void> {
  opened = opened.filter((one) => one !== rpc)
  await rpc.close()
}

const send = (endpoints: readonly Rpc[], journaled: Journaled) =>
  broadcast(
    {
      endpoints,
      onContradiction: (error) => {
        contradictions.push(error)
      },
    },
    journaled,
  )

const first = () => nodes[0] as Node
const second = () => nodes[1] as Node
const refuses = (message: string, code = -32_000): Lies => ({
  bend: (_, { id }: Answer) => ({ jsonrpc: '2.0', id, error: { code, message } }),
})
const responds = (
  respond: (response: Parameters<NonNullable<Lies['respond']>>[1]) => void,
): Lies => ({
  respond: (_, response) => {
    respond(response)
    return true
  },
})
const hangs = responds(() => undefined)

describe('broadcast: one endpoint', () => {
  test('default: sends exactly the journaled bytes, once', async () => {
    const journaled = await bytes()
    expect(await send([wayTo(first())], journaled)).toEqual({
      verdict: 'accepted',
      words: 'accepted',
    })
    expect(first().seen).toEqual([
      expect.objectContaining({ method: 'eth_sendRawTransaction', params: [journaled.raw] }),
    ])
  })

  test('a real node: each of its answers has its verdict', async () => {
    const [chain] = chainRpcs as [Rpc]
    const rpc = wayTo(first())
    const said = async (journaled: Journaled) => (await send([rpc], journaled)).verdict
    const known = await bytes()
    const same = { nonce: nonce - 1 }
    expect({
      taken: await said(known),
      '[RPC-26] again': await said(known),
      '[RPC-29] as cheap': await said(await bytes({ ...same, value: 1n })),
      '[RPC-30] too cheap': await said(await bytes({ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n })),
      '[RPC-31] too much': await said(await bytes({ value: 10n ** 20n })),
      '[RPC-32] another chain': await said(await bytes({ chainId: 1 })),
      '[RPC-32] no gas': await said(await bytes({ gas: 20_000n })),
      '[RPC-32] no bytes': await said({ ...known, raw: '0x02' }),
    }).toEqual({
      taken: 'accepted',
      '[RPC-26] again': 'already-known',
      '[RPC-29] as cheap': 'replacement-underpriced',
      '[RPC-30] too cheap': 'underpriced',
      '[RPC-31] too much': 'insufficient-funds',
      '[RPC-32] another chain': 'invalid',
      '[RPC-32] no gas': 'invalid',
      '[RPC-32] no bytes': 'invalid',
    })
    await chain.request(anvilCalls.mine)
    expect({ '[RPC-27] mined': await said(known) }).toEqual({ '[RPC-27] mined': 'nonce-low' })
    nonce = same.nonce + 1
  })

  /** All of these come after the node took the bytes. */
  const faults: Readonly<Record<string, readonly [lies: Lies, verdict: Verdict]>> = {
    '[RPC-04] HTTP 429 that says when to come back': [
      responds((response) =>
        response.writeHead(429, { 'retry-after': '86400' }).end('Too Many Requests'),
      ),
      'endpoint-fault',
    ],
    '[RPC-05] 429 as an answer': [refuses('', 429), 'endpoint-fault'],
    '[RPC-05] the limit as an answer': [refuses('limit exceeded', -32_005), 'endpoint-fault'],
    '[RPC-06] HTTP 502': [responds((response) => response.writeHead(502).end('bad')), 'ambiguous'],
    '[RPC-07] an internal error': [refuses('Internal error', -32_603), 'ambiguous'],
    '[RPC-08] a reset in the middle of the body': [
      responds((response) => {
        response.writeHead(200, { 'content-length': '100' })
        response.write('{"jsonrpc":"2.0","id":1,', () => response.destroy())
      }),
      'ambiguous',
    ],
    '[RPC-09] a byte at a time': [
      responds((response) => {
        response.writeHead(200)
        const drip = setInterval(() => response.write(' '), 50)
        response.on('close', () => clearInterval(drip))
      }),
      'ambiguous',
    ],
    '[RPC-10] a giant body': [
      responds((response) => {
        const more = () => {
          while (!response.destroyed && response.write(' '.repeat(65_536)));
        }
        response.on('drain', more)
        more()
      }),
      'ambiguous',
    ],
    '[RPC-11] markup': [responds((response) => response.end('<html>ok</html>')), 'ambiguous'],
    '[RPC-11] half an answer': [responds((response) => response.end('{"jsonrpc":')), 'ambiguous'],
    '[RPC-12] the id of another question': [
      { bend: (_, answer) => ({ ...answer, id: answer.id + 1 }) },
      'ambiguous',
    ],
    '[RPC-13] an object for a hash': [
      { bend: (_, answer) => ({ ...answer, result: { hash: answer.result } }) },
      'ambiguous',
    ],
    '[RPC-13] null': [{ bend: (_, answer) => ({ ...answer, result: null }) }, 'ambiguous'],
    '[RPC-34] another hash': [
      { bend: (_, answer) => ({ ...answer, result: `0x${'2'.repeat(64)}` }) },
      'ambiguous',
    ],
    '[RPC-02] silence': [hangs, 'ambiguous'],
  }
  const endless = new Set(['[RPC-02] silence', '[RPC-09] a byte at a time'])
  for (const [name, [lies, verdict]] of Object.entries(faults))
    test(`${name}: ${verdict}, within the deadline, and not sent twice`, async () => {
      const journaled = await bytes()
      first().lie(lies)
      // Only an answer that never comes to its end needs the deadline.
      const deadlines = endless.has(name) ? heldDeadlines() : undefined
      const answering = send([withRetries(wayTo(first()))], journaled)
      await until(() => first().seen.length > 0)
      deadlines?.pass(60_000)
      const answer = await answering
      expect(answer.verdict).toBe(verdict)
      expect(answer.words.length).toBeLessThan(400)
      expect(first().seen.map(({ params }) => params)).toEqual([[journaled.raw]])
      // It never was a failure: the node has them. It was handed them before, and takes its time.
      const known = { method: 'eth_getTransactionByHash', params: [journaled.hash] }
      await until(() => chainRpcs[0]?.request({ ...known, parse: (one) => one !== null }) ?? false)
      first().lie({})
      expect((await send([wayTo(first())], journaled)).verdict).toBe('already-known')
    })
})

describe('broadcast: every endpoint', () => {
  test('the same bytes to each, each once, and both chains mine them', async () => {
    const fresh = privateKeyToAccount(generatePrivateKey())
    for (const rpc of chainRpcs) await rpc.request(anvilCalls.setBalance(fresh.address, 10n ** 18n))
    const journaled = await bytes({ nonce: 0 }, fresh)
    expect((await send([wayTo(first()), wayTo(second())], journaled)).verdict).toBe('accepted')
    await until(() => nodes.every(({ seen }) => seen.length > 0))
    for (const node of nodes)
      expect(node.seen.map(({ params }) => params)).toEqual([[journaled.raw]])
    // The second may still be reading: the answer did not wait for it.
    for (const rpc of chainRpcs)
      await expect
        .poll(async () => {
          await rpc.request(anvilCalls.mine)
          return rpc.request(getReceipt(journaled.hash))
        })
        .toMatchObject({ success: true })
  })

  test('one that took them is enough: one that hangs is not waited for', async () => {
    second().lie(hangs)
    const deadlines = heldDeadlines()
    const slow = wayTo(second(), { timeoutMs: 1_500 })
    expect(await send([slow, wayTo(first())], await bytes())).toMatchObject({ verdict: 'accepted' })
    expect(deadlines.lengths()).toContain(1_500)
    deadlines.pass(1_500)
    // Its silence is no contradiction, and nobody's unhandled rejection.
    await closed(slow)
    expect(contradictions).toEqual([])
  })

  test('where none took them, each has its own deadline', async () => {
    first().lie(refuses('nonce too low'))
    second().lie(hangs)
    const deadlines = heldDeadlines()
    const slow = wayTo(second(), { timeoutMs: 400 })
    let isDone = false
    const answering = send([slow, wayTo(first())], await bytes()).finally(() => {
      isDone = true
    })
    await until(() => nodes.every(({ seen }) => seen.length > 0))
    await delay(100)
    expect(isDone).toBe(false)
    deadlines.pass(400)
    expect(await answering).toMatchObject({
      verdict: 'nonce-low',
      words: expect.stringContaining(`${first().url}: nonce too low`),
    })
  })

  for (const [name, late] of [
    ['before', false],
    ['after', true],
  ] as const)
    test(`[RPC-35] taken here, refused there, ${name} the answer: sent, and told`, async () => {
      const refusal = refuses('invalid sender')
      const accepted: Lies = {}
      const slowly = (lies: Lies): Lies => ({
        bend: lies.bend ?? ((_, answer) => answer),
        respond: (answers, response) => {
          setTimeout(() => response.end(JSON.stringify(answers[0])), 200)
          return true
        },
      })
      first().lie(late ? accepted : slowly(accepted))
      second().lie(late ? slowly(refusal) : refusal)
      const journaled = await bytes()
      const answer = await send([wayTo(second()), wayTo(first())], journaled)
      expect(answer.verdict).toBe('accepted')
      expect(answer.words.includes('invalid sender')).toBe(!late)
      await until(() => contradictions.length > 0)
      expect(contradictions).toMatchObject([
        {
          code: 'BROADCAST_CONTRADICTED',
          facts: {
            hash: journaled.hash,
            accepted: first().url,
            refused: `${second().url}: invalid sender`,
          },
        },
      ])
    })

  test('[RPC-34] one that took something else is told of, beside one that took ours', async () => {
    second().lie({ bend: (_, answer) => ({ ...answer, result: `0x${'2'.repeat(64)}` }) })
    expect(await send([wayTo(second()), wayTo(first())], await bytes())).toMatchObject({
      verdict: 'accepted',
    })
    await until(() => contradictions.length > 0)
    expect(contradictions).toMatchObject([
      { facts: { refused: expect.stringContaining('another hash') } },
    ])
  })

  test('what a node says beside an acceptance is no contradiction where it may well be so', async () => {
    for (const message of ['nonce too low', 'already known', 'txpool is full', 'who knows']) {
      second().lie(refuses(message))
      const both = [wayTo(second()), wayTo(first())]
      expect(isTakenVerdict((await send(both, await bytes())).verdict)).toBe(true)
      await Promise.all(both.map(closed))
    }
    expect(contradictions).toEqual([])
  })

  test('the verdict: success before all, then the most telling one, whoever speaks first', async () => {
    const order: readonly (readonly [Verdict, string])[] = [
      ['already-known', 'already known'],
      ['replacement-underpriced', 'replacement transaction underpriced'],
      ['nonce-low', 'nonce too low'],
      ['nonce-high', 'nonce too high'],
      ['insufficient-funds', 'insufficient funds'],
      ['underpriced', 'transaction underpriced'],
      ['invalid', 'invalid sender'],
      ['ambiguous', ''],
      ['endpoint-fault', 'rate limit'],
    ]
    const saying = (message: string) =>
      ({
        label: 'http://one',
        request: async ({ method }: { method: string }) => {
          throw new RpcRefused(method, { code: -32_000, message })
        },
      }) as unknown as Rpc
    const journaled = await bytes()
    nonce--
    const some = fc.shuffledSubarray([...order], { minLength: 1 })
    await fc.assert(
      fc.asyncProperty(some, async (said) => {
        const { verdict } = await send(
          said.map(([, message]) => saying(message)),
          journaled,
        )
        // One that knows the bytes ends it at once; all others are heard.
        expect(verdict).toBe(order.find((one) => said.includes(one))?.[0])
      }),
    )
  })
})
