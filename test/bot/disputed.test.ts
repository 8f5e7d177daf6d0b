import { toFunctionSelector } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendManualSwap } from '../../src/app/manualSwap.ts'
import { exitCodes } from '../../src/cli/exitCodes.ts'
import { loadConfig } from '../../src/config/loadConfig.ts'
import { parseAmount, tokenOf } from '../../src/core/amount.ts'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { type Answer, type Asked, startLyingNode } from '../support/lyingNode.ts'
import { openBotAt } from '../support/openBotAt.ts'

const used = toFunctionSelector('usedAuthorization(bytes32)')
let fork: Fork
let node: Awaited<ReturnType<typeof startLyingNode>>
beforeAll(async () => {
  fork = await forkOrigin()
  node = await startLyingNode(fork.ready.rpcUrl)
})
afterAll(async () => {
  await node.close()
  await fork.close()
})

/** The receipt says success, and the router says for ever that the swap never happened. */
function contradicts({ method, params }: Asked, answer: Answer): Answer {
  const asksRouter = method === 'eth_call' && JSON.stringify(params).includes(used)
  return asksRouter ? { ...answer, result: `0x${'0'.repeat(64)}` } : answer
}

const passTime = (seconds: number) =>
  fork.rpc.request({ method: 'evm_increaseTime', params: [seconds], parse: (answer) => answer })

test('an approval that changes nothing by the node: the swap ends there, and is never signed', async () => {
  const bot = await openBotAt(fork, node.url)
  const allowance = toFunctionSelector('allowance(address,address)')
  node.lie({
    bend: ({ method, params }, answer) =>
      method === 'eth_call' && JSON.stringify(params).includes(allowance)
        ? { ...answer, result: `0x${'0'.repeat(64)}` }
        : answer,
  })
  const wish = { sell: '1 WETH', buy: 'USDC', floor: '2900 USDC' }
  const { failure, record } = await bot.swap(wish, { signer: bot.signer })
  node.lie({})
  expect(failure).toMatchObject({ code: 'APPROVAL_WITHOUT_EFFECT', facts: { token: 'WETH' } })
  expect([record.state, bot.signed]).toEqual(['ABANDONED', ['APPROVE']])
  await bot.close()
})

test('swap --live behind a node whose receipt and router differ: ends with a lock, and nothing is booked', async () => {
  const bot = await openBotAt(fork, node.url)
  const { configFile, tokens } = { configFile: `${fork.dataDir}/every-token.yaml`, ...bot.config }
  await bot.close()
  const config = loadConfig({ file: configFile, environment: {}, cwd: fork.dataDir })
  node.lie({ bend: contradicts })
  const notes: string[] = []
  let ahead = 0
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + ahead }
  const never = new AbortController().signal
  const wanted = {
    sell: parseAmount('1 ETH', tokens.bySymbol),
    buy: tokenOf('USDC', tokens.bySymbol),
    floor: parseAmount('2900 USDC', tokens.bySymbol),
    ...{ recipient: undefined, slippageBps: undefined, expirySeconds: 10 },
  }
  const sent = sendManualSwap(wanted, {
    ...{ config, clock, signal: never, halt: never },
    note: (line) => notes.push(line),
  }).catch((error: unknown) => error)
  await expect.poll(() => node.count('eth_sendRawTransaction')).toBe(1)
  await systemClock.sleep(6_000)
  await passTime(300)
  // At depth the deadline is long past and the answers differ, but not for long by our own clock.
  await systemClock.sleep(6_000)
  expect(notes.join(' ')).not.toMatch(/SWAP_DISPUTED/)
  // Two looks, neither long after the one before.
  ahead = 65_000
  await systemClock.sleep(6_000)
  ahead = 130_000
  expect(await sent).toMatchObject({ code: 'SWAP_DISPUTED', fault: 'unsettled' })
  expect(exitCodes.unsettled).toBe(6)
  expect(notes.join(' ')).toMatch(/Swap \S+ is INCLUDED/)

  // The lock holds over a start, the swap is followed on, and ends as what it is once the answers agree.
  node.lie({})
  const later = await openBotAt(fork, node.url)
  const [lock] = await later.journal.locks.live()
  expect(lock).toMatchObject({
    kind: 'breaker',
    code: 'SWAP_DISPUTED',
    reason: expect.stringMatching(/the receipt says success, the router says not done/),
  })
  const [record] = await later.journal.swaps.history({ limit: 1 })
  expect(record).toMatchObject({ state: 'SETTLED' })
  await later.close()
})
