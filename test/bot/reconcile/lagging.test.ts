import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { caughtUpHead } from '../../../src/app/chainNonce.ts'
import { reconcileWallet } from '../../../src/app/reconcileWallet.ts'
import { examineWallet, reconcileAtStart } from '../../../src/app/recover.ts'
import { revoke } from '../../../src/bot/life/approvals.ts'
import { pass, type Simulated } from '../../../src/bot/stages.ts'
import { getBlock } from '../../../src/chain/calls/node.ts'
import type { Rpc, RpcCall } from '../../../src/chain/rpc/rpc.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { BallastError } from '../../../src/core/errors.ts'
import { type Fork, forkOrigin } from '../../support/forkOrigin.ts'
import { openBot } from '../../support/openBot.ts'

let fork: Fork
let bot: Awaited<ReturnType<typeof openBot>>

beforeEach(async () => {
  fork = await forkOrigin()
  bot = await openBot(fork)
})
afterEach(async () => {
  await bot.close()
  await fork.close()
})

const day = 24 * 60 * 60 * 1_000
const oneWeth = { sell: '1 WETH', buy: 'USDC', floor: '2990 USDC' }
const oneEth = { sell: '1 ETH', buy: 'USDC', floor: '2990 USDC' }

async function verdicts(rpc: Rpc, since = 0) {
  const { checks, locks } = await reconcileWallet(
    { config: bot.config, rpc, journal: bot.journal, clock: systemClock },
    { since, logDefects: bot.journal.books.logDefects },
  )
  return {
    broken: checks.flatMap(({ id, breaks }) => breaks.map(({ code }) => `${id} ${code}`)),
    unknown: checks.flatMap(({ id, unknown }) => (unknown.length === 0 ? [] : [id])),
    locks: locks.map(({ code }) => code),
  }
}

/** A node that has seen nothing after a height: it answers as of there, and knows no later block. */
function behind(height: number): Rpc {
  const head = `0x${height.toString(16)}`
  const old = <result>(call: RpcCall<result>): RpcCall<result> => ({
    ...call,
    params: call.params.map((param) => {
      if (param === 'latest') return head
      const later = /^0x[0-9a-f]{1,8}$/.test(String(param)) && Number(param) > height
      return later ? '0xffffffff' : param
    }),
    parse: (answer) => {
      const at = (answer as { blockNumber?: string } | null)?.blockNumber
      return call.parse(at !== undefined && Number(at) > height ? null : answer)
    },
  })
  return {
    ...fork.rpc,
    request: (call) => fork.rpc.request(old(call)),
    batch: ((calls: readonly RpcCall<unknown>[]) => fork.rpc.batch(calls.map(old))) as Rpc['batch'],
  }
}

const headNow = async () => (await fork.rpc.request(getBlock('latest')))?.number ?? 0

/** A swap that ends after its approval, before its signature: what it was allowed stands. */
async function leaveAllowance() {
  const stop = new AbortController()
  const sign: typeof bot.train.signer.sign = async (what) => {
    if (what.kind === 'SWAP') stop.abort()
    return bot.train.signer.sign(what)
  }
  await bot.swap(oneWeth, { signer: { ...bot.train.signer, sign } }, stop.signal)
  const [left] = await bot.journal.allowances.liabilities({
    chainId: 31_337,
    wallet: bot.config.wallet.address,
  })
  if (left === undefined) throw new Error('it is owed')
  return left
}

function age(swapId: string): void {
  const db = new DatabaseSync(join(fork.dataDir, 'ballast.db'))
  db.prepare(
    'UPDATE swap SET updated_at = updated_at - ?, created_at = created_at - ? WHERE id = ?',
  ).run(3 * day, 3 * day, swapId)
  db.close()
}

describe('what is no break', () => {
  test('an allowance taken back in the name of a swap that ended long ago, after a younger swap', async () => {
    const left = await leaveAllowance()
    age(left.swapId)
    expect((await bot.swap(oneEth)).record.state).toBe('SETTLED')
    await revoke(left, bot.train)
    expect(await verdicts(fork.rpc, systemClock.now() - day)).toEqual({
      broken: [],
      unknown: [],
      locks: [],
    })
  })

  test('a node that has not seen the last swap yet', async () => {
    const before = await headNow()
    await bot.swap(oneWeth)
    for (let height = await headNow(); height >= before; height -= 1)
      expect([height, (await verdicts(behind(height))).locks]).toEqual([height, []])
  })

  test('a node that has not seen the last approval yet', async () => {
    const left = await leaveAllowance()
    const before = await headNow()
    await revoke(left, bot.train)
    for (let height = await headNow(); height >= before; height -= 1)
      expect([height, (await verdicts(behind(height))).broken]).toEqual([height, []])
  })

  test('an endpoint that goes away in the middle', async () => {
    await bot.swap(oneEth)
    const gone = () => {
      throw new BallastError('away', {
        code: 'RPC_UNREACHABLE',
        remedy: 'retry',
        fault: 'upstream',
      })
    }
    const total = 12
    for (let most = 0; most < total; most += 1) {
      let asked = 0
      const rpc: Rpc = {
        ...fork.rpc,
        request: async (call) => (asked++ < most ? fork.rpc.request(call) : gone()),
        batch: (async (calls: readonly RpcCall<unknown>[]) =>
          asked++ < most ? fork.rpc.batch(calls) : gone()) as Rpc['batch'],
      }
      expect([most, (await verdicts(rpc)).broken]).toEqual([most, []])
    }
  })

  test('a start and a release at a node that lags: neither takes an old nonce for a lost one', async () => {
    const before = await headNow()
    await bot.swap(oneEth)
    const { config, journal } = bot
    for (let height = (await headNow()) - 1; height > before; height -= 1) {
      const found = caughtUpHead({ config, rpc: behind(height), journal }).catch(
        ({ code }: BallastError) => code,
      )
      expect(['NODE_BEHIND', height]).toContain(await found)
      const start = reconcileAtStart({ config, rpc: behind(height), journal, clock: systemClock })
      const ended = start.then(
        () => 'begun',
        ({ code }: BallastError) => code,
      )
      expect(['NODE_BEHIND', 'begun']).toContain(await ended)
    }
    expect(await caughtUpHead({ config, rpc: fork.rpc, journal })).toBe(await headNow())
    expect(await journal.locks.live()).toEqual([])
  })

  test('a swap that is simulated at a node that lags: nothing is signed, and the bot goes on', async () => {
    await bot.swap(oneEth)
    const { reading } = bot.train
    const simulate: typeof reading.simulate = async (permitted) =>
      pass<Simulated>({ ...(await reading.simulate(permitted)), nonce: 0 })
    const { record, failure } = await bot.swap(oneEth, { reading: { ...reading, simulate } })
    expect(failure).toMatchObject({ code: 'NODE_BEHIND', remedy: 'retry', fault: 'upstream' })
    expect(record).toMatchObject({ state: 'ABANDONED', attempts: [] })
    expect((await bot.swap(oneEth)).record.state).toBe('SETTLED')
  })

  test('a transaction of the pool that the journal knows', async () => {
    await bot.swap(oneEth)
    const { address } = bot.config.wallet
    const lagging: Rpc = behind((await headNow()) - Number(bot.config.chain.confirmations) - 1)
    const state = await bot.journal.wallet.state({ chainId: 31_337, wallet: address })
    expect(await examineWallet(lagging, { wallet: address, nextNonce: state?.nextNonce })).toEqual(
      [],
    )
  })
})
