import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Fork, forkOrigin } from '../../support/forkOrigin.ts'
import { type Answer, type Asked, startLyingNode } from '../../support/lyingNode.ts'
import { openBotAt } from '../../support/openBotAt.ts'

const gwei = 10n ** 9n
const hex = (value: bigint) => `0x${value.toString(16)}`

/** Every answer that a tip could be taken from says 50 gwei. */
function suggests50({ method }: Asked, answer: Answer): Answer {
  if (method === 'eth_maxPriorityFeePerGas') return { ...answer, result: hex(50n * gwei) }
  if (method === 'eth_gasPrice') return { ...answer, result: hex(50n * gwei + 7n) }
  if (method !== 'eth_feeHistory') return answer
  const gasUsedRatio = Array.from({ length: 20 }, () => 0.5)
  const reward = gasUsedRatio.map(() => [hex(50n * gwei)])
  return { ...answer, error: undefined, result: { ...answer.result, gasUsedRatio, reward } }
}

const refused =
  (...methods: string[]) =>
  ({ method }: Asked, answer: Answer): Answer =>
    methods.includes(method)
      ? { jsonrpc: '2.0', id: answer.id, error: { code: -32_601, message: 'method not found' } }
      : answer

describe('the tip of a swap', () => {
  let fork: Fork
  let node: Awaited<ReturnType<typeof startLyingNode>>
  let bot: Awaited<ReturnType<typeof openBotAt>>
  beforeAll(async () => {
    fork = await forkOrigin()
    node = await startLyingNode(fork.ready.rpcUrl)
  })
  beforeEach(() => node.lie({}))
  afterEach(() => bot.close())
  afterAll(async () => {
    await node.close()
    await fork.close()
  })

  async function settled(sell: string, floor: string) {
    const { record, failure } = await bot.swap({ sell, buy: 'USDC', floor })
    expect([record.state, failure]).toEqual(['SETTLED', undefined])
    return record
  }

  const offered = ({ attempts }: Awaited<ReturnType<typeof settled>>) =>
    attempts.map(({ tipWei }) => BigInt(tipWei))
  const tips = async (sell: string, floor: string) => offered(await settled(sell, floor))

  test('one node that suggests 50 gwei: policy.maxTip at most', async () => {
    bot = await openBotAt(fork, node.url)
    node.lie({ bend: suggests50 })
    const record = await settled('1 WETH', '2900 USDC')
    expect(offered(record)).toEqual([5n * gwei, 5n * gwei])
    // What was paid is written down apart: tips of whole gwei, and a base fee of a few wei a gas.
    const [paid, tip] = [BigInt(record.gasPaidInAllWei ?? 0), BigInt(record.gasTipInAllWei ?? 0)]
    expect(tip % (5n * gwei)).toBe(0n)
    expect(tip / (5n * gwei)).toBeGreaterThan(BigInt(record.gasUsed ?? 0))
    expect((paid - tip) / (tip / (5n * gwei))).toBeLessThan(gwei)
  })

  test('a small swap: half of what its gas may cost', async () => {
    bot = await openBotAt(fork, node.url)
    node.lie({ bend: suggests50 })
    // 200 bps of 60 dollars are 1.20: half of that pays about 190,000 gas at one gwei. The base fee takes the other half.
    const [tip = 0n] = await tips('0.02 ETH', '50 USDC')
    expect(tip).toBeGreaterThan(gwei / 2n)
    expect(tip).toBeLessThan(2n * gwei)
  })

  test('a second node that says less: what that one says', async () => {
    const witness = `witness: { rpcUrl: "${fork.ready.rpcUrl}", above: 100000 USD }`
    bot = await openBotAt(fork, node.url, witness)
    node.lie({ bend: suggests50 })
    for (const tip of await tips('1 WETH', '2900 USDC')) expect(tip).toBeLessThanOrEqual(gwei)
  })

  test('a node without a fee history, or with nothing but a price: still a tip', async () => {
    bot = await openBotAt(fork, node.url)
    node.lie({ bend: refused('eth_feeHistory', 'eth_maxPriorityFeePerGas') })
    const [tip = 0n] = await tips('1 ETH', '2900 USDC')
    expect(tip).toBeGreaterThan(0n)
    expect(tip).toBeLessThanOrEqual(5n * gwei)
  })

  test('a node that suggests nothing at all: is no reason to sign', async () => {
    bot = await openBotAt(fork, node.url)
    node.lie({ bend: refused('eth_feeHistory', 'eth_maxPriorityFeePerGas', 'eth_gasPrice') })
    const { failure, record } = await bot.swap({ sell: '1 ETH', buy: 'USDC', floor: '2900 USDC' })
    expect([failure, record.attempts]).toMatchObject([{ code: 'FEES_UNAVAILABLE' }, []])
  })
})
