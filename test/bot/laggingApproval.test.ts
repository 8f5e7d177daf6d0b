import { toFunctionSelector } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { startLyingNode } from '../support/lyingNode.ts'
import { openBotAt } from '../support/openBotAt.ts'

let fork: Fork
let node: Awaited<ReturnType<typeof startLyingNode>>
beforeEach(async () => {
  fork = await forkOrigin()
  node = await startLyingNode(fork.ready.rpcUrl)
})
afterEach(async () => {
  await node.close()
  await fork.close()
})

test('an approval that a lagging node does not know yet is waited for', async () => {
  const bot = await openBotAt(fork, node.url)
  const allowance = toFunctionSelector('allowance(address,address)')
  let left = 2
  node.lie({
    bend({ method, params }, answer) {
      const isOf = method === 'eth_call' && JSON.stringify(params).includes(allowance)
      if (!isOf || BigInt(String(answer.result)) === 0n || left === 0) return answer
      left -= 1
      return { ...answer, result: `0x${'0'.repeat(64)}` }
    },
  })
  const wish = { sell: '1 WETH', buy: 'USDC', floor: '2900 USDC' }
  const { record } = await bot.swap(wish, { signer: bot.signer })
  node.lie({})
  expect([record.state, left, bot.signed]).toEqual(['SETTLED', 0, ['APPROVE', 'SWAP']])
  await bot.close()
})
