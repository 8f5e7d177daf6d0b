import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { getBalance } from '../../src/chain/calls/account.ts'
import { getChainId } from '../../src/chain/calls/node.ts'
import { sendRawTransaction } from '../../src/chain/calls/sendRawTransaction.ts'
import { createRpc } from '../../src/chain/rpc/createRpc.ts'
import { mayPass, type Rpc, saysNo } from '../../src/chain/rpc/rpc.ts'
import { withRetries } from '../../src/chain/rpc/withRetries.ts'
import { heldDeadlines } from '../support/heldDeadlines.ts'
import { until } from '../support/until.ts'

type Question = {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

let server: Server
let rpc: Rpc
let asked = 0

/** A node that answers as the test says. Bodies are text, so that it can say anything. */
const nodeThat = (answer: (question: Question & Question[]) => string): Promise<Rpc> =>
  serverThat((response, question) => response.end(answer(question)))

async function serverThat(
  respond: (response: ServerResponse, question: Question & Question[]) => void,
): Promise<Rpc> {
  asked = 0
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      asked += 1
      respond(response, JSON.parse(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  rpc = createRpc({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    timeoutMs: 60_000,
    maxBytes: 10_000,
  })
  return rpc
}

afterEach(async () => {
  await rpc.close()
  server.closeAllConnections()
  server.close()
})

const reply = (id: number, result: unknown) => JSON.stringify({ jsonrpc: '2.0', id, result })
const owner = '0x00000000000000000000000000000000000000aa'
const limited = '0x00000000000000000000000000000000000000bb'

describe('rpc', () => {
  test('a page for 400 is no answer to a short call, and a refusal of the size of a batch or a long one', async () => {
    const node = await serverThat((response) => response.writeHead(400).end('<html>Bad Request'))
    const code = (calling: Promise<unknown>) => calling.catch((error) => error.code)
    expect(await code(node.request(getChainId))).toBe('RPC_GARBLED')
    const long = { ...getChainId, params: ['0x'.padEnd(20_000, '0')] }
    expect(await code(node.request(long))).toBe('RPC_REFUSED')
    asked = 0
    await node.batch([getChainId, getChainId, getChainId])
    // In halves, down to single calls.
    expect(asked).toBeGreaterThan(3)
  })

  test('a limit says whose words it is, and an error may come without an id', async () => {
    const message = 'daily request count exceeded: batch your requests'
    const error = { code: -32_005, message }
    let status = 429
    const node = await serverThat((response) =>
      response.writeHead(status).end(JSON.stringify({ jsonrpc: '2.0', error })),
    )
    const refusal = async () => node.request(getChainId).catch((failure) => failure)
    const limit = await refusal()
    expect(limit.facts).toMatchObject({ rpcMessage: 'HTTP 429', said: message })
    // Whatever it says, a limit is no answer of the chain.
    expect([mayPass(limit), saysNo(limit)]).toEqual([true, false])
    status = 402
    expect((await refusal()).facts).toMatchObject({ rpcMessage: message })
  })

  test('a key that is refused is refused once for a batch, and not for each of its calls', async () => {
    const error = { code: -32_600, message: 'Must be authenticated!' }
    const node = await serverThat((response) =>
      response.writeHead(401).end(JSON.stringify({ jsonrpc: '2.0', id: null, error })),
    )
    await expect(node.batch(Array.from({ length: 20 }, () => getChainId))).rejects.toMatchObject({
      code: 'RPC_REFUSED',
    })
    expect(asked).toBe(1)
  })

  test('default: asks and reads', async () => {
    await nodeThat(({ id }) => reply(id, '0x7a69'))
    expect(await rpc.request(getChainId)).toBe(31_337)
  })

  test('[RPC-12] batch: one round trip, answers in any order, one failure alone', async () => {
    await nodeThat((questions) =>
      JSON.stringify(
        questions
          .map(({ id }, index) =>
            index === 1
              ? { id, error: { code: -32_000, message: 'no' } }
              : { id, result: `0x${index}` },
          )
          .reverse(),
      ),
    )
    const outcomes = await rpc.batch([getBalance(owner), getBalance(owner), getBalance(owner)])
    expect(outcomes.map((one) => (one.ok ? one.value : one.error.message.split('\n')[0]))).toEqual([
      0n,
      'The RPC endpoint refused a call.',
      2n,
    ])
    expect(asked).toBe(1)
  })

  const garbled: Record<string, (question: Question) => string> = {
    '[RPC-12] the id of another question': ({ id }) => reply(id + 1, '0x1'),
    '[RPC-11] no JSON': () => 'bad gateway',
    'neither result nor error': ({ id }) => JSON.stringify({ jsonrpc: '2.0', id }),
    '[RPC-13] a result of another shape': ({ id }) => reply(id, { a: 1 }),
    '[RPC-13] a number that is none': ({ id }) => reply(id, '0xzz'),
    'a result and an error': ({ id }) =>
      JSON.stringify({ id, result: '0x1', error: { code: 1, message: 'no' } }),
    'another protocol': ({ id }) => JSON.stringify({ jsonrpc: '1.0', id, result: '0x1' }),
    'a list where one answer is due': ({ id }) => `[${reply(id, '0x1')}]`,
  }
  for (const [name, answer] of Object.entries(garbled))
    test(`garbled: ${name}`, async () => {
      await nodeThat(answer)
      await expect(rpc.request(getChainId)).rejects.toMatchObject({
        code: 'RPC_GARBLED',
        fault: 'upstream',
      })
    })

  test('[RPC-12] batch: an answer too many, twice or missing is not taken for another', async () => {
    await nodeThat((questions) => {
      const [first] = questions
      return `[${reply(first?.id ?? 0, '0x1')},${reply(first?.id ?? 0, '0x2')}]`
    })
    await expect(rpc.batch([getBalance(owner), getBalance(owner)])).rejects.toMatchObject({
      code: 'RPC_GARBLED',
    })
    server.closeAllConnections()
    server.close()
    await nodeThat((questions) => `[${reply(questions[0]?.id ?? 0, '0x1')}]`)
    const [one, two] = await rpc.batch([getBalance(owner), getBalance(owner)])
    expect([one.ok, two.ok]).toEqual([true, false])
  })

  test('batch: where a node refuses lists, each call goes alone; another answer in place of one is garbled', async () => {
    const refusal = { code: -32_600, message: 'no batches here' }
    await nodeThat((question) =>
      question.method === undefined
        ? JSON.stringify({ jsonrpc: '2.0', id: null, error: refusal })
        : reply(question.id, '0x1'),
    )
    const two = [getBalance(owner), getBalance(owner)]
    expect(await rpc.batch(two)).toMatchObject([
      { ok: true, value: 1n },
      { ok: true, value: 1n },
    ])
    await rpc.close()
    server.close()
    await nodeThat(() => reply(1, '0x1'))
    await expect(rpc.batch(two)).rejects.toMatchObject({ name: 'RpcGarbled' })
  })

  test('[RPC-10] limits: an answer that is too long is cut off', async () => {
    await nodeThat(({ id }) => reply(id, `0x${'0'.repeat(20_000)}`))
    await expect(rpc.request(getChainId)).rejects.toMatchObject({ fault: 'upstream' })
  })

  test('foreign words: are cut, and steer no terminal', async () => {
    const message = `\u001b[2J${'x'.repeat(5_000)}`
    const data = `0x${'41'.repeat(2_000)}`
    await nodeThat(({ id }) => JSON.stringify({ id, error: { code: 3, message, data } }))
    const refusal = await rpc.request(getChainId).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'RPC_REFUSED' })
    const { message: words, data: kept } = refusal as { message: string; data: string }
    expect(words).not.toContain('\u001b')
    expect(words.length).toBeLessThan(1_200)
    expect(kept.length).toBeLessThanOrEqual(2_048)
  })

  const failing: Record<string, (response: ServerResponse) => void> = {
    '[RPC-04] HTTP 429 that wants a day': (response) =>
      response.writeHead(429, { 'retry-after': '86400' }).end('Too Many Requests'),
    '[RPC-06] HTTP 502': (response) => response.writeHead(502).end('Bad Gateway'),
    '[RPC-08] a reset in the middle of the body': (response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('{"jsonrpc":', () => response.destroy())
    },
    '[RPC-11] half an answer': (response) => response.end('{"jsonrpc":'),
  }
  for (const [name, fail] of Object.entries(failing))
    test(`${name}: a read is asked again, at our own pace`, async () => {
      await serverThat((response, { id }) =>
        asked < 3 ? fail(response) : response.end(reply(id, '0x7a69')),
      )
      const slept: number[] = []
      const sleep = async (milliseconds: number) => slept.push(milliseconds)
      expect(await withRetries(rpc, { attempts: 3, sleep }).request(getChainId)).toBe(31_337)
      expect(asked).toBe(3)
      expect(slept).toEqual(name.includes('429') ? [5_000, 5_000] : [])
    })

  for (const code of [429, -32_005])
    test(`[RPC-05] ${code} in an answer: a read is asked again, alone or in a batch`, async () => {
      const error = { code, message: 'slower' }
      await nodeThat((question) => {
        const { id: own } = question
        return Array.isArray(question)
          ? JSON.stringify(
              question.map(({ id, params: [account] }) =>
                account === limited && asked < 3 ? { id, error } : { id, result: '0x1' },
              ),
            )
          : asked < 2
            ? JSON.stringify({ id: own, error })
            : reply(own, '0x7a69')
      })
      const patient = withRetries(rpc, { attempts: 3 })
      expect(await patient.request(getChainId)).toBe(31_337)
      expect(asked).toBe(2)
      asked = 0
      const wanted = [getBalance(owner), getBalance(limited)] as const
      const outcomes = await patient.batch(wanted)
      expect([asked, ...outcomes.map(({ ok }) => ok)]).toEqual([3, true, true])
      // The last answer is the answer: its neighbours are not lost with it.
      asked = 0
      const twice = await withRetries(rpc, { attempts: 2 }).batch(wanted)
      expect([asked, ...twice.map(({ ok }) => ok)]).toEqual([2, true, false])
    })

  test('[RPC-09] a byte at a time: one deadline for the whole answer', async () => {
    const deadlines = heldDeadlines()
    let dripped = 0
    await serverThat((response) => {
      response.writeHead(200)
      const drip = setInterval(() => {
        dripped += 1
        response.write(' ')
      }, 5)
      response.on('close', () => clearInterval(drip))
    })
    const asking = rpc.request(getChainId)
    const failing = expect(asking).rejects.toMatchObject({ code: 'UNREACHABLE' })
    await until(() => dripped > 10)
    expect(deadlines.lengths()).toEqual([60_000])
    deadlines.pass(60_000)
    await failing
    expect(asked).toBe(1)
  })

  test('retries: reads are asked again, a broadcast never', async () => {
    await nodeThat(() => 'bad gateway')
    const patient = withRetries(rpc, { attempts: 3 })
    await expect(patient.request(getChainId)).rejects.toMatchObject({ code: 'RPC_GARBLED' })
    expect(asked).toBe(3)
    await expect(patient.request(sendRawTransaction('0x02'))).rejects.toMatchObject({
      code: 'RPC_GARBLED',
    })
    expect(asked).toBe(4)
    await expect(patient.batch([sendRawTransaction('0x02')])).rejects.toMatchObject({
      code: 'RPC_GARBLED',
    })
    expect(asked).toBe(5)
  })
})
