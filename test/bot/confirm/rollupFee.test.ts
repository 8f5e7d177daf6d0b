import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Fork, forkOrigin } from '../../support/forkOrigin.ts'
import { startLyingNode } from '../../support/lyingNode.ts'
import { openBotAt } from '../../support/openBotAt.ts'

let fork: Fork
let node: Awaited<ReturnType<typeof startLyingNode>>
let bot: Awaited<ReturnType<typeof openBotAt>>
let withoutL1 = 0n
const l1Fee = 7_000_000_000_000n

beforeAll(async () => {
  fork = await forkOrigin()
  // Receipts as a rollup writes them, over a chain that did not take the fee.
  const known = new Map<string, bigint>()
  node = await startLyingNode(fork.ready.rpcUrl, {
    bend({ method, params }, answer) {
      if (method !== 'eth_getTransactionReceipt' || answer.result === null) return answer
      const { gasUsed, effectiveGasPrice } = answer.result
      known.set(String(params[0]), BigInt(gasUsed) * BigInt(effectiveGasPrice))
      withoutL1 = [...known.values()].reduce((sum, paid) => sum + paid, 0n)
      return { ...answer, result: { ...answer.result, l1Fee: `0x${l1Fee.toString(16)}` } }
    },
  })
  bot = await openBotAt(fork, node.url)
})
afterAll(async () => {
  await bot.close()
  await node.close()
  await fork.close()
})

test('rollup: its fee for L1 data is part of what gas cost, in approvals as in swaps', async () => {
  const { record } = await bot.swap({ sell: '1 WETH', buy: 'USDC', floor: '2950 USDC' })
  expect(record).toMatchObject({ state: 'SETTLED', agrees: true })
  expect(record.attempts.map(({ kind }) => kind)).toEqual(['APPROVE', 'SWAP'])
  expect(BigInt(record.gasPaidInAllWei ?? 0)).toBe(withoutL1 + 2n * l1Fee)
})

test('rollup: the comparison of balances counts it: where the chain took none, they differ', async () => {
  const { record } = await bot.swap({ sell: '1 ETH', buy: 'USDC', floor: '2950 USDC' })
  expect(record).toMatchObject({ state: 'SETTLED', agrees: false })
})
