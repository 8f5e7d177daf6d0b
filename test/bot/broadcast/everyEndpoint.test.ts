import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openSenders } from '../../../src/app/openMarket.ts'
import { loadConfig } from '../../../src/config/loadConfig.ts'
import { type Anvil, startAnvil } from '../../../src/sandbox/startAnvil.ts'
import { type Fork, forkOrigin } from '../../support/forkOrigin.ts'
import { startLyingNode } from '../../support/lyingNode.ts'
import { openBotAt } from '../../support/openBotAt.ts'

type Node = Awaited<ReturnType<typeof startLyingNode>>

let fork: Fork
let nodes: readonly Node[]
let bot: Awaited<ReturnType<typeof openBotAt>> | undefined
beforeAll(async () => {
  fork = await forkOrigin()
  nodes = await Promise.all(
    ['main', 'also', 'witness'].map(() => startLyingNode(fork.ready.rpcUrl)),
  )
})
afterEach(async () => {
  await bot?.close()
  bot = undefined
  for (const node of nodes) {
    node.lie({})
    node.seen.length = 0
  }
})
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()))
  await fork.close()
})

const wish = { sell: '1 WETH', buy: 'USDC', floor: '2900 USDC' }
const url = (index: number) => (nodes[index] as Node).url
const open = async (sends: boolean) => {
  bot = await openBotAt(
    fork,
    url(0),
    `alsoSendTo: ["${url(1)}"], witness: { rpcUrl: "${url(2)}", above: 1000 USD, sends: ${sends} }`,
  )
  return bot
}
const rawAt = (index: number) =>
  (nodes[index] as Node).seen.flatMap(({ method, params }) =>
    method === 'eth_sendRawTransaction' ? [params[0]] : [],
  )

describe('a bot with more than one endpoint', () => {
  test('every one gets the same bytes, once, and the extra one is asked nothing else', async () => {
    const { swap, troubles, train } = await open(true)
    const { record } = await swap(wish)
    expect(record.state).toBe('SETTLED')
    // An approval, the swap, and whatever the wallet had to undo.
    expect(rawAt(0).length).toBeGreaterThanOrEqual(2)
    expect(new Set(rawAt(0)).size).toBe(rawAt(0).length)
    expect([rawAt(1), rawAt(2)]).toEqual([rawAt(0), rawAt(0)])
    const asked = new Set((nodes[1] as Node).seen.map(({ method }) => method))
    expect([...asked].sort()).toEqual(['eth_chainId', 'eth_sendRawTransaction'])
    expect(troubles).toEqual([])
    expect(train.witness).toBeDefined()
  })

  test('a witness that is not to see them gets no bytes; an endpoint that takes none stops nothing', async () => {
    const { swap, troubles } = await open(false)
    ;(nodes[1] as Node).lie({
      bend: ({ method }, answer) =>
        method === 'eth_sendRawTransaction'
          ? { jsonrpc: '2.0', id: answer.id, error: { code: -32_000, message: 'invalid sender' } }
          : answer,
    })
    const { record } = await swap(wish)
    expect(record.state).toBe('SETTLED')
    expect(rawAt(0).length).toBeGreaterThanOrEqual(1)
    expect(rawAt(1)).toEqual(rawAt(0))
    expect(rawAt(2)).toEqual([])
    expect(troubles.map((error) => (error as { code?: string }).code)).toEqual(
      rawAt(0).map(() => 'BROADCAST_CONTRADICTED'),
    )
  })

  test('the first endpoint takes nothing: the others are enough', async () => {
    const { swap } = await open(true)
    ;(nodes[0] as Node).lie({
      bend: ({ method }, answer) =>
        method === 'eth_sendRawTransaction'
          ? { jsonrpc: '2.0', id: answer.id, error: { code: 429, message: 'rate limited' } }
          : answer,
    })
    const { record } = await swap(wish)
    expect(record.state).toBe('SETTLED')
  })
})

describe('[RPC-14] an endpoint that only gets bytes', () => {
  const senders = (environment: Readonly<Record<string, string>>) =>
    openSenders(
      loadConfig({ file: fork.ready.config, environment, cwd: fork.dataDir, needs: 'chain' }),
    )
  let other: Anvil
  beforeAll(async () => {
    other = await startAnvil({ chainId: 31_338 })
  })
  afterAll(async () => {
    await other.close()
  })

  test('on another chain is refused when the bot starts', async () => {
    const opened = senders({ ALSO_SEND_TO: `${url(1)},${other.rpcUrl}` })
    await expect(opened.check()).rejects.toMatchObject({
      code: 'WRONG_CHAIN',
      fault: 'usage',
      facts: { endpoint: other.rpcUrl },
    })
    await opened.close()
  })

  test('that is away, or answers nothing but broadcasts, stops nothing', async () => {
    ;(nodes[1] as Node).lie({
      bend: (_, { id }) => ({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'no' } }),
    })
    const opened = senders({ ALSO_SEND_TO: `${url(1)},http://127.0.0.1:9` })
    await opened.check()
    await opened.close()
  })
})
