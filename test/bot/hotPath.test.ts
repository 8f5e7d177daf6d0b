import { StatementSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { openBot } from '../support/openBot.ts'

let fork: Fork
let bot: Awaited<ReturnType<typeof openBot>>

beforeAll(async () => {
  fork = await forkOrigin()
  bot = await openBot(fork)
})
afterAll(async () => {
  vi.restoreAllMocks()
  await bot.close()
  await fork.close()
})

test('between the simulation and the broadcast: one commit, one signature, and no look at the chain', async () => {
  const done: string[] = []
  const statements = vi.spyOn(StatementSync.prototype, 'run')
  const { train } = bot
  const rpc = bot.market.rpc
  for (const name of ['request', 'batch'] as const) vi.spyOn(rpc, name)
  const looks = () =>
    vi.mocked(rpc.request).mock.calls.length + vi.mocked(rpc.batch).mock.calls.length
  let [from, looked] = [0, 0]
  const simulate: typeof train.reading.simulate = async (permitted) => {
    const simulated = await train.reading.simulate(permitted)
    ;[from, looked] = [statements.mock.contexts.length, looks()]
    return simulated
  }
  const sign: typeof train.signer.sign = async (what) => {
    done.push(`sign ${what.kind}`)
    return train.signer.sign(what)
  }
  const broadcast: typeof train.broadcast = async (bytes, published) => {
    const run = statements.mock.contexts
      .slice(from)
      .map((statement) => (statement as StatementSync).sourceSQL)
    done.push(...run.filter((sql) => /^commit/i.test(sql)), `${looks() - looked} looks`)
    // Outside of that commit nothing is written: it would be on disk by itself.
    const outside = run.slice(run.findIndex((sql) => /^commit/i.test(sql)) + 1)
    done.push(...outside.filter((sql) => /^(insert|update|delete)/i.test(sql)))
    return train.broadcast(bytes, published)
  }
  const { record } = await bot.swap(
    { sell: '1 ETH', buy: 'USDC', floor: '2900 USDC' },
    { reading: { ...train.reading, simulate }, signer: { ...train.signer, sign }, broadcast },
  )
  expect(record.state).toBe('SETTLED')
  expect(done).toEqual(['sign SWAP', 'commit', '0 looks'])
})
