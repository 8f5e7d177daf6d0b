import { toFunctionSelector } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Reading } from '../../src/bot/stages.ts'
import { getCode } from '../../src/chain/calls/account.ts'
import type { Hex } from '../../src/chain/calls/fields.ts'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import { failedChecks } from '../support/failedChecks.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { type Answer, type Asked, startLyingNode } from '../support/lyingNode.ts'
import { openBotAt } from '../support/openBotAt.ts'
import { transact } from '../support/transact.ts'

let fork: Fork
let node: Awaited<ReturnType<typeof startLyingNode>>
let bot: Awaited<ReturnType<typeof openBotAt>>

beforeAll(async () => {
  fork = await forkOrigin()
  node = await startLyingNode(fork.ready.rpcUrl)
  bot = await openBotAt(fork, node.url)
})
afterAll(async () => {
  await bot?.close()
  await node?.close()
  await fork?.close()
})
beforeEach(() => {
  node.lie({})
  bot.signed.length = 0
  node.seen.length = 0
})

const wish = { sell: '1 ETH', buy: 'USDC', floor: '2900 USDC' }
const call = (method: string, ...params: unknown[]) =>
  fork.rpc.request({ method, params, parse: (answer) => answer as never })
const bending = (method: string, change: (result: Answer) => void) => ({
  bend: ({ method: asked }: Asked, answer: Answer) => {
    if (asked === method) change(answer.result)
    return answer
  },
})

/** Swaps with something that happens right before the simulation looks; how the first look ended, with nothing signed. */
async function refused(happens: () => unknown, quoting = bot.train.reading.quote): Promise<Error> {
  const { simulate, ...rest } = bot.train.reading
  const failures: unknown[] = []
  const reading: Reading = {
    ...rest,
    quote: quoting,
    simulate: async (permitted) => {
      await happens()
      return simulate(permitted).catch((error: unknown) => {
        failures.push(error)
        throw error
      })
    },
  }
  const { record } = await bot.swap(wish, { signer: bot.signer, reading })
  expect(record.attempts).toEqual([])
  expect(bot.signed).toEqual([])
  expect(node.count('eth_sendRawTransaction')).toBe(0)
  return failures[0] as Error
}

describe('what a node says of gas', () => {
  const gasUsed = (gas: Hex) => ({
    bend: ({ method }: Asked, answer: Answer) => {
      if (method === 'eth_simulateV1') for (const one of answer.result[0].calls) one.gasUsed = gas
      return answer
    },
  })

  test('[RPC-21] too little: the limit is the bot’s own, and the swap settles', async () => {
    const limits: bigint[] = []
    const sign: typeof bot.signer.sign = async (what) => {
      limits.push(what.transaction.gas)
      return bot.signer.sign(what)
    }
    node.lie(gasUsed('0x1'))
    const { record } = await bot.swap(wish, { signer: { ...bot.signer, sign } })
    expect(record).toMatchObject({ state: 'SETTLED', gasUsed: expect.anything() })
    // 250,000 for the router and as much for its one leg.
    expect(limits).toEqual([500_000n])
  })

  test('[RPC-22] more than a block holds: refused by what it would cost', async () => {
    const failure = await refused(() => node.lie(gasUsed('0xffffffff')))
    expect(failedChecks(failure)).toContain('simulate.gas-cost')
  })

  test('[RPC-25] a head without base fee: refused', async () => {
    const headless = bending('eth_getBlockByNumber', (block) => {
      block.baseFeePerGas = undefined
    })
    const failure = await refused(() => node.lie(headless))
    expect(failure).toMatchObject({ code: 'SIMULATION_UNAVAILABLE', fault: 'upstream' })
    expect(failure.message).toContain('eth_getBlockByNumber answered in an unexpected shape')
  })
})

describe('what happens between the quote and the signature', () => {
  test('[CHAIN-22] the router becomes another contract: refused', async () => {
    const { router } = fork.ready
    const code = await fork.rpc.request(getCode(router))
    const failure = await refused(() => fork.rpc.request(anvilCalls.setCode(router, `${code}00`)))
    await fork.rpc.request(anvilCalls.setCode(router, code))
    expect(failedChecks(failure)).toContain('simulate.router-code')
  })

  test('[CHAIN-23] the router is paused: refused with its own word', async () => {
    const { router } = fork.ready
    const owner: string = await call(
      'eth_call',
      { to: router, data: toFunctionSelector('owner()') },
      'latest',
    )
    const from = `0x${owner.slice(-40)}`
    await call('anvil_impersonateAccount', from)
    const owned = async (name: string) => {
      await call('eth_sendTransaction', { from, to: router, data: toFunctionSelector(name) })
      await fork.rpc.request(anvilCalls.mine)
    }
    const failure = await refused(() => owned('pause()'))
    expect(failedChecks(failure)).toContain('simulate.swap')
    expect(failure.message).toContain('reverts with EntryPaused')
    await owned('unpause()')
    expect((await bot.preview(wish)).checks.every(({ ok }) => ok)).toBe(true)
  })

  test('[API-30] its quote is used, by whom the journal knows nothing of: refused', async () => {
    const { privateKey } = fork.ready.wallets.treasury as { privateKey: Hex }
    const failure = await refused(
      () => undefined,
      async (appraised) => {
        const quoted = await bot.train.reading.quote(appraised)
        const { target, calldata, value } = (quoted.quote as Answer).txRequest
        await transact(fork.rpc, { privateKey, to: target, data: calldata, value: BigInt(value) })
        return quoted
      },
    )
    expect(failedChecks(failure)).toContain('simulate.authorization-unused')
  })

  test('[CHAIN-15] the time of the blocks jumps: too little is left of the quote', async () => {
    const failure = await refused(async () => {
      await call('evm_increaseTime', 25)
      await fork.rpc.request(anvilCalls.mine)
    })
    expect(failedChecks(failure)).toContain('simulate.deadline-on-chain')
  })
})
