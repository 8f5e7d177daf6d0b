import { setTimeout as delay } from 'node:timers/promises'
import { parseTransaction } from 'viem'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Call, Transaction } from '../../../src/bot/stages.ts'
import { type Fork, forkOrigin } from '../../support/forkOrigin.ts'
import { type Answer, startLyingNode } from '../../support/lyingNode.ts'
import { openBotAt } from '../../support/openBotAt.ts'

let fork: Fork
let node: Awaited<ReturnType<typeof startLyingNode>>
let bot: Awaited<ReturnType<typeof openBotAt>>

beforeAll(async () => {
  fork = await forkOrigin()
  node = await startLyingNode(fork.ready.rpcUrl)
  bot = await openBotAt(fork, node.url)
})
afterAll(async () => {
  await bot.close()
  await node.close()
  await fork.close()
})
beforeEach(() => {
  bot.signed.length = 0
  node.seen.length = 0
  node.exchanges.length = 0
})

const wish = { sell: '1 WETH', buy: 'USDC', floor: '2900 USDC' }
const same = ({ to, data, value }: { to?: unknown; data?: unknown; value?: bigint | undefined }) =>
  `${to} ${data} ${value ?? 0n}`.toLowerCase()

test('[API-38] what was verified is simulated, traced, signed and sent, byte for byte, in one batch and one send', async () => {
  const verified: Call[] = []
  const signed: Transaction[] = []
  let quotedAt = 0
  const { reading } = bot.train
  const { record } = await bot.swap(wish, {
    reading: {
      ...reading,
      quote: async (appraised) => {
        const quoted = await reading.quote(appraised)
        quotedAt = node.exchanges.length
        node.seen.length = 0
        return quoted
      },
      verify: async (quoted) => {
        const facts = await reading.verify(quoted)
        verified.push(facts.call)
        return facts
      },
    },
    signer: {
      ...bot.signer,
      sign: async (what) => {
        if (what.kind === 'SWAP') signed.push(what.transaction)
        return bot.signer.sign(what)
      },
    },
  })
  expect(record.state).toBe('SETTLED')

  const call = verified.at(-1)
  const one = same(call ?? {})
  const toRouter = ({ to }: Answer) => to?.toLowerCase() === call?.to.toLowerCase()
  const simulated = node.seen
    .filter(({ method }) => method === 'eth_simulateV1')
    .flatMap(({ params }) => (params as Answer)[0].blockStateCalls[0].calls)
    .filter((step: Answer) => toRouter(step) && BigInt(step.gas) !== 1_000_000n)
    .map(({ to, input, value }: Answer) => same({ to, data: input, value: BigInt(value) }))
  expect(simulated).toEqual([one, one, one])
  const traced = node.seen
    .filter(({ method }) => method === 'debug_traceCall')
    .map(({ params }) => (params as Answer)[0])
    .filter(toRouter)
  expect(traced.map((step) => same({ ...step, value: BigInt(step.value) }))).toEqual([one])
  expect(signed.map(same)).toEqual([one])
  const sent = node.seen.filter(({ method }) => method === 'eth_sendRawTransaction')
  expect(sent.map(({ params }) => same(parseTransaction((params as Answer)[0])))).toEqual([one])

  const [batch, send] = node.exchanges.slice(quotedAt)
  expect(batch?.filter((method) => method === 'eth_simulateV1')).toHaveLength(3)
  expect(send).toEqual(['eth_sendRawTransaction'])
})

test('[LOCAL-18] a signature that takes longer than two blocks: is thrown away', async () => {
  let now = Date.now()
  const clock = { ...bot.train.clock, now: () => now }
  const { simulationAgeMsMax } = bot.train
  expect(simulationAgeMsMax).toBe(2 * bot.config.chain.blockTimeMs)
  const native = { ...wish, sell: '1 ETH' }
  const after = async (ms: number) => {
    const sign: typeof bot.signer.sign = async (what) => {
      const bytes = await bot.signer.sign(what)
      now = Date.now() + ms
      return bytes
    }
    now = Date.now()
    return bot.swap(native, { clock, signer: { ...bot.signer, sign } })
  }
  const late = await after(simulationAgeMsMax + 1_000)
  expect(late.failure).toMatchObject({ code: 'SIMULATION_STALE', remedy: 'requote' })
  expect(late.record).toMatchObject({ state: 'ABANDONED', code: 'SIMULATION_STALE', attempts: [] })
  // By a clock that is set back meanwhile nobody knows how long it took.
  expect((await after(-60_000)).failure).toMatchObject({ code: 'SIMULATION_STALE' })
  expect(node.count('eth_sendRawTransaction')).toBe(0)
  expect((await after(simulationAgeMsMax - 5_000)).record.state).toBe('SETTLED')
})

test('approvals that take two hours: the swap is decided again, and finds its allowance', async () => {
  let leap = 0
  const clock = { ...bot.train.clock, now: () => Date.now() + leap }
  const sign: typeof bot.signer.sign = async (what) => {
    const bytes = await bot.signer.sign(what)
    if (what.kind === 'APPROVE') leap = 121 * 60_000
    return bytes
  }
  const late = await bot.swap(wish, { clock, signer: { ...bot.signer, sign } })
  expect(late.failure).toMatchObject({ code: 'DECISION_STALE', remedy: 'retry', fault: 'refused' })
  expect(late.record).toMatchObject({ state: 'ABANDONED', code: 'DECISION_STALE' })
  expect(late.record.attempts.map(({ kind }) => kind)).toEqual(['APPROVE'])
  leap = 0
  const { record } = await bot.swap(wish, { clock })
  expect(record.state).toBe('SETTLED')
  expect(record.attempts.map(({ kind }) => kind)).toEqual(['SWAP'])
})

test('no witness, no trace of it: a bot that names none asks one node', async () => {
  const { checks } = await bot.preview(wish)
  expect(checks.filter(({ name }) => name.includes('witness'))).toEqual([])
})

// The last: it moves the clock of the chain.
test('[LOCAL-18] a commit that outlasts the deadline: the bytes are never sent, and their nonce is closed', async () => {
  let leap = 0
  const clock = { ...bot.train.clock, now: () => Date.now() + leap }
  const { journal } = bot.train
  const stored: string[] = []
  let headIsLater = Promise.resolve()
  const commitSwap: typeof journal.attempts.commitSwap = async (signed, simulated) => {
    const bytes = await journal.attempts.commitSwap(signed, simulated)
    stored.push(bytes.raw)
    leap = simulated.deadline * 1_000 - Date.now()
    // The head of the chain comes as far after some looks.
    headIsLater = delay(1_500).then(async () => {
      const params = [Math.ceil(leap / 1_000) + 5]
      await fork.rpc.request({ method: 'evm_increaseTime', params, parse: () => undefined })
    })
    return bytes
  }
  const attempts = { ...journal.attempts, commitSwap }
  const { record } = await bot.swap(
    { ...wish, sell: '1 ETH' },
    { clock, journal: { ...journal, attempts } },
  )
  await headIsLater
  expect(record.state).toBe('EXPIRED_DEAD')
  const sent = node.seen.filter(({ method }) => method === 'eth_sendRawTransaction')
  expect(sent.length).toBeGreaterThan(0)
  expect(stored).toHaveLength(1)
  expect(sent.flatMap(({ params }) => params)).not.toContain(stored[0])
})
