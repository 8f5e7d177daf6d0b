import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Drivetrain } from '../../../src/bot/life/train.ts'
import { getTransactionCount } from '../../../src/chain/calls/account.ts'
import { sendRawTransaction } from '../../../src/chain/calls/sendRawTransaction.ts'
import { anvilCalls } from '../../../src/sandbox/startAnvil.ts'
import { callCli } from '../../cli/callCli.ts'
import { type Fork, forkOrigin } from '../../support/forkOrigin.ts'
import { type Lies, startLyingNode } from '../../support/lyingNode.ts'
import { openOpaqueBot } from '../../support/openOpaqueBot.ts'

let fork: Fork
let node: Awaited<ReturnType<typeof startLyingNode>>
let bot: Awaited<ReturnType<typeof openOpaqueBot>>

beforeEach(async () => {
  fork = await forkOrigin()
  node = await startLyingNode(fork.ready.rpcUrl)
  bot = await openOpaqueBot(fork, { rpcUrl: node.url })
})
afterEach(async () => {
  await bot.close()
  await node.close()
  await fork.close()
})

/** Somebody pays the wallet in the block of the swap. */
const beside =
  (wei: bigint): Drivetrain['broadcast'] =>
  async (bytes) => {
    if (bytes.kind !== 'SWAP') return bot.train.broadcast(bytes)
    const { rpc, ready } = fork
    const { privateKey, address } = ready.feeSigner
    await rpc.request(anvilCalls.setBalance(address, 10n ** 20n))
    const raw = await privateKeyToAccount(privateKey).signTransaction({
      type: 'eip1559',
      chainId: 31_337,
      nonce: await rpc.request(getTransactionCount(address, 'pending')),
      to: bot.config.wallet.address,
      value: wei,
      gas: 21_000n,
      maxFeePerGas: 100_000_000_000n,
      maxPriorityFeePerGas: 1n,
    })
    await rpc.request(anvilCalls.mineEvery(0))
    const answer = await bot.train.broadcast(bytes)
    await rpc.request(sendRawTransaction(raw))
    await rpc.request(anvilCalls.mineEvery(1))
    return answer
  }

const ether = 10n ** 18n
const sale = { sell: '1 ETH', buy: 'USDC', floor: '2950 USDC' }
const purchase = { sell: '3000 USDC', buy: 'ETH', floor: '0.97 ETH' }

const untraced: Lies = {
  bend: ({ method }, answer) =>
    method === 'debug_traceTransaction'
      ? { ...answer, result: undefined, error: { code: -32_601, message: 'method not found' } }
      : answer,
}

async function reconciled(): Promise<number | null> {
  await bot.close()
  const { code } = await callCli(['reconcile', '--config', bot.where.ready.config], {
    cwd: fork.dataDir,
  })
  return code
}

describe('the chain’s own currency through a foreign router, paid to the wallet in the same block', () => {
  test('sold: what the call sold is booked, and the deposit is not', async () => {
    const { record, failure } = await bot.swap(sale, { broadcast: beside(ether) })
    expect(failure).toBeUndefined()
    expect(record).toMatchObject({ state: 'SETTLED', sold: { wei: `${ether}` }, agrees: false })
    expect(await reconciled()).toBe(0)
  })

  test('bought: what the call brought is booked, and the deposit is not', async () => {
    const { record } = await bot.swap(purchase, { broadcast: beside(5n * ether) })
    expect(record).toMatchObject({ state: 'SETTLED', agrees: false })
    expect(BigInt(record.received?.wei ?? 0)).toBeLessThan(ether)
    expect(await reconciled()).toBe(0)
  })

  test('sold, on a node that traces nothing: the value of the call is booked', async () => {
    node.lie(untraced)
    const { record } = await bot.swap(sale, { broadcast: beside(ether) })
    expect(record).toMatchObject({ state: 'SETTLED', sold: { wei: `${ether}` }, agrees: false })
    expect(await reconciled()).toBe(0)
  })

  test('bought, on a node that traces nothing: nothing proves what the balances show', async () => {
    node.lie(untraced)
    const { record } = await bot.swap(purchase, { broadcast: beside(5n * ether) })
    expect(record).toMatchObject({ state: 'SETTLED', agrees: null })
    expect(await reconciled()).toBe(0)
  })
})
