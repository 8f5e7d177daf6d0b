import { DatabaseSync } from 'node:sqlite'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Drivetrain } from '../../../src/bot/life/train.ts'
import { getCode, getTransactionCount } from '../../../src/chain/calls/account.ts'
import { getReceipt } from '../../../src/chain/calls/getReceipt.ts'
import { sendRawTransaction } from '../../../src/chain/calls/sendRawTransaction.ts'
import { anvilCalls } from '../../../src/sandbox/startAnvil.ts'
import { callCli } from '../../cli/callCli.ts'
import { type Fork, forkOrigin } from '../../support/forkOrigin.ts'
import { type Lies, pruned, startLyingNode } from '../../support/lyingNode.ts'
import { openOpaqueBot } from '../../support/openOpaqueBot.ts'
import { until } from '../../support/until.ts'

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

/** A node that breaks off whatever it is to trace. */
const cutOff: Lies = {
  bend: ({ method }, answer) =>
    method === 'debug_traceTransaction' ? { ...answer, isCut: true } : answer,
  respond(answers, response) {
    if (!answers.some(({ isCut }) => isCut === true)) return false
    response.destroy()
    return true
  },
}

const call = (...args: string[]) =>
  callCli([...args, '--config', bot.where.ready.config], { cwd: fork.dataDir })

async function reconciled(): Promise<number | null> {
  await bot.close()
  return (await call('reconcile')).code
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

  test('bought, where the trace is broken off: the swap is booked, and a node that traces later contradicts nothing', async () => {
    node.lie(cutOff)
    const { record, failure } = await bot.swap(purchase, { broadcast: beside(5n * ether) })
    expect(failure).toBeUndefined()
    expect(record).toMatchObject({ state: 'SETTLED', agrees: null })
    expect(await reconciled()).toBe(0)
    node.lie({})
    expect((await call('reconcile')).code).toBe(0)
  })

  test('bought, and traced: a node that traces nothing later contradicts nothing', async () => {
    const { record } = await bot.swap(purchase, { broadcast: beside(5n * ether) })
    expect(record).toMatchObject({ state: 'SETTLED', agrees: false })
    node.lie(untraced)
    expect(await reconciled()).toBe(0)
  })

  test('sold, on a node that has pruned its block since: unknown, and the mark goes on all the same', async () => {
    const { record } = await bot.swap(sale)
    expect(record).toMatchObject({ state: 'SETTLED', agrees: true })
    const { chain, wallet } = bot.config
    const scope = { chainId: chain.chainId, wallet: wallet.address, since: 0 }
    const before = await bot.journal.reconciliation.mark(scope)
    await bot.close()
    node.lie(pruned)
    expect(await call('reconcile')).toMatchObject({
      stdout: expect.stringContaining('the node has no balances of its block any more'),
    })
    const journal = await bot.reopenJournal()
    expect((await journal.reconciliation.mark(scope))?.seq).toBeGreaterThan(before?.seq ?? 0)
    await journal.shut()
  })

  test.each([
    ['sold', '2'],
    ['received', '7'],
  ])('an amount that no reading explains is a break: %s', async (side, coins) => {
    const wish = side === 'sold' ? sale : purchase
    const { record } = await bot.swap(wish, { broadcast: beside(5n * ether) })
    expect(record).toMatchObject({ state: 'SETTLED', agrees: false })
    await bot.close()
    const { database } = bot.config
    const db = new DatabaseSync(database.dialect === 'sqlite' ? database.path : '')
    db.exec(`UPDATE swap SET ${side} = '${BigInt(coins) * ether}'`)
    db.close()
    expect((await call('reconcile')).stdout).toMatch(
      new RegExp(`I5 LEDGER_DIFFERS[^]*what: ${side}`),
    )
  })

  test.each([
    ['a part of it', ether / 2n],
    ['as much', ether],
  ])(
    'sold for nothing beside a payment of %s: written off by a node that traces alone',
    async (_, wei) => {
      const { router } = fork.ready
      const hollow: Drivetrain['broadcast'] = async (bytes) => {
        if (bytes.kind !== 'SWAP') return bot.train.broadcast(bytes)
        const code = await fork.rpc.request(getCode(router))
        await fork.rpc.request(anvilCalls.setCode(router, '0x00'))
        const answer = await beside(wei)(bytes)
        await until(async () => (await fork.rpc.request(getReceipt(bytes.hash))) !== undefined)
        await fork.rpc.request(anvilCalls.setCode(router, code))
        return answer
      }
      node.lie(untraced)
      const { record, failure } = await bot.swap(sale, { broadcast: hollow })
      expect(failure).toMatchObject({ code: 'SETTLEMENT_UNEXPLAINED' })
      await bot.close()
      const writeOff = () => call('resume', '--write-off', record.id, '--reason', 'it is gone')
      expect((await writeOff()).stderr).toContain('NOT_WRITTEN_OFF')
      node.lie({})
      expect((await writeOff()).stdout).toContain('sold 1 ETH, received 0')
    },
  )
})
