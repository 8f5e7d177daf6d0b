import { keccak256, numberToHex, parseTransaction } from 'viem'
import { afterEach, describe, expect, test } from 'vitest'
import type { Simulated } from '../../src/bot/stages.ts'
import { getBalance } from '../../src/chain/calls/account.ts'
import { getReceipt } from '../../src/chain/calls/getReceipt.ts'
import { getBlock } from '../../src/chain/calls/node.ts'
import { simulateByProbe } from '../../src/chain/calls/simulateByProbe.ts'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import { failedChecks } from '../support/failedChecks.ts'
import { forkOrigin } from '../support/forkOrigin.ts'
import { openBotAt } from '../support/openBotAt.ts'
import { nodeInterface, opOracle, startArbitrum, startOpStack } from '../support/startRollup.ts'

const gwei = 10n ** 9n
const weth = { sell: '1 WETH', buy: 'USDC', floor: '2900 USDC' }
const coin = { sell: '1 ETH', buy: 'USDC', floor: '2900 USDC' }

let closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.reverse()) await close()
  closing = []
})

/** A bot before a rollup that mines at once. */
async function open(start: typeof startOpStack) {
  const fork = await forkOrigin({ mining: 'auto' })
  closing.push(fork.close)
  const rollup = await start(fork.rpc, fork.ready.rpcUrl)
  closing.push(rollup.close)
  const bot = await openBotAt(fork, rollup.url)
  closing.push(bot.close)
  const { address } = bot.config.wallet
  const balance = () => fork.rpc.request(getBalance(address))
  return {
    ...{ rollup, bot },
    /** A block of this moment; gas costs what it did. */
    mine: async () => {
      const head = await fork.rpc.request(getBlock('latest'))
      const baseFee = numberToHex(head?.baseFeePerGas ?? 0n)
      const method = 'anvil_setNextBlockBaseFeePerGas'
      await fork.rpc.request({ method, params: [baseFee], parse: () => undefined })
      await fork.rpc.request(anvilCalls.mine)
    },
    setBalance: (wei: bigint) => fork.rpc.request(anvilCalls.setBalance(address, wei)),
    /** A swap, what was predicted of its own transaction, and what its wallet paid for it and in all. */
    async swap(wish: typeof weth) {
      let predicted: Simulated | undefined
      const simulate: typeof bot.train.reading.simulate = async (permitted) => {
        predicted = await bot.train.reading.simulate(permitted)
        return predicted
      }
      const before = await balance()
      const reading = { ...bot.train.reading, simulate }
      const { record, failure } = await bot.swap(wish, { reading })
      if (failure !== undefined || predicted === undefined) throw failure
      const left = before - (await balance())
      const bytes = rollup.signed.at(-1) ?? '0x'
      const receipt = await bot.market.rpc.request(getReceipt(keccak256(bytes)))
      const { gas, gasPrice, rollupFee = 0n } = predicted.simulation
      const cost = gas * gasPrice + rollupFee
      return { record, predicted, cost, bytes, receipt, left, taken: rollup.taken(bytes) }
    },
  }
}

/** An oracle that prices bytes and operators. */
async function openOpStack() {
  const opened = await open(startOpStack)
  const { store } = opened.rollup
  await store(opOracle, 0, 3n * gwei)
  await store(opOracle, 1, gwei)
  await store(opOracle, 2, 1_000_000n)
  await store(opOracle, 3, 777n)
  return opened
}

describe('OP stack', () => {
  test('what is predicted for the signed bytes is paid, and booked, to the wei', async () => {
    const { swap } = await openOpStack()
    const { record, predicted, cost, receipt, left, taken } = await swap(weth)
    expect(record.state).toBe('SETTLED')
    expect(taken).toBeGreaterThan(1_000n)
    expect(predicted.simulation.rollupFee).toBe(taken)
    expect(receipt?.gasUsed).toBe(predicted.simulation.gas)
    expect(receipt?.gasPaid).toBe(cost)
    expect(record.gasPaidWei).toBe(String(cost))
    // The approval before it had bytes of its own.
    expect(record.gasPaidInAllWei).toBe(String(left))
  })

  test('a sale of the coin itself is measured apart from all of it', async () => {
    const { swap } = await openOpStack()
    const { record, cost, left } = await swap(coin)
    expect(record).toMatchObject({ state: 'SETTLED', agrees: true, gasPaidWei: String(cost) })
    expect(left).toBe(10n ** 18n + cost)
  })

  test('the wallet must hold it, and it counts in policy.maxGasCost', async () => {
    const { bot, rollup, setBalance, mine } = await openOpStack()
    // The older the newest block, the further from it the deadline, and the dearer gas and the L1 can be by then.
    const preview = async () => {
      await mine()
      return bot.preview(coin)
    }
    const { fees, simulation } = await preview()
    const withoutIt = 10n ** 18n + fees.gas * fees.maxFeePerGas
    await setBalance(withoutIt)
    const refused = await preview().catch((error: unknown) => error)
    expect(failedChecks(refused)).toEqual(['simulate.native-balance'])
    // As dear as the L1 can be within 42 seconds, each twelve begun.
    await setBalance(withoutIt + 2n * (simulation.rollupFee ?? 0n))
    await preview()
    // 2 % of what is sold are 0.02 ETH.
    await setBalance(10n ** 19n)
    await rollup.store(opOracle, 0, 2_000_000n * gwei)
    const dear = await preview().catch((error: unknown) => error)
    expect(failedChecks(dear)).toContain('simulate.gas-cost')
  })
})

describe('Arbitrum', () => {
  test('the gas of the bytes is in limit and cost, and what is predicted is paid, to the wei', async () => {
    const { rollup, swap } = await open(startArbitrum)
    // More than the limits that are usual elsewhere leave, for the approval as for the swap.
    await rollup.store(nodeInterface, 0, 300n)
    const { record, predicted, cost, bytes, receipt, left, taken } = await swap(weth)
    expect(record.state).toBe('SETTLED')
    expect(taken).toBeGreaterThan(0n)
    expect(parseTransaction(bytes).gas).toBeGreaterThan(
      500_000n + taken / predicted.simulation.gasPrice,
    )
    expect(receipt?.gasUsed).toBe(predicted.simulation.gas)
    expect(receipt?.gasPaid).toBe(cost)
    expect(record.gasPaidWei).toBe(String(cost))
    expect(record.gasPaidInAllWei).toBe(String(left))
  })

  test('a probe knows the chain’s own block, where NUMBER is the one of the L1', async () => {
    const { bot, swap } = await open((rpc, url) => startArbitrum(rpc, url, ['eth_simulateV1']))
    expect(bot.market.play).toBe(simulateByProbe)
    const { record } = await swap(weth)
    expect(record.state).toBe('SETTLED')
  })

  test('bytes that take more than policy.maxGas leaves are refused', async () => {
    const { bot, rollup } = await open(startArbitrum)
    await rollup.store(nodeInterface, 0, 800n)
    const refused = await bot.preview(weth).catch((error: unknown) => error)
    expect(failedChecks(refused)).toEqual(['simulate.gas-limit'])
  })
})
