import { afterEach, beforeEach, expect, test } from 'vitest'
import { recoverBooks } from '../../src/app/recoverBooks.ts'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import { systemClock } from '../../src/core/clock.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { startLyingNode } from '../support/lyingNode.ts'
import { openBot } from '../support/openBot.ts'

/** A journal whose only swap is signed, was never mined, and is past its deadline: a start would cancel it. */

let fork: Fork
beforeEach(async () => {
  fork = await forkOrigin()
})
afterEach(() => fork.close())

test.each([false, true])(
  'recover signs and sends nothing, under a halt (%o) as well',
  async (isHalted) => {
    const bot = await openBot(fork)
    const stop = new AbortController()
    const broadcast: typeof bot.train.broadcast = async () => {
      stop.abort()
      return { verdict: 'ambiguous', words: 'lost' }
    }
    const wish = { sell: '1 ETH', buy: 'USDC', floor: '2900 USDC' }
    const { swapId, record } = await bot.swap(wish, { broadcast }, stop.signal)
    expect(record.state).toMatch(/^(SIGNED|SENT)$/)
    const { config } = bot
    if (isHalted)
      await bot.journal.locks.open({
        ...{ kind: 'halt', scope: 'all', code: 'JOURNAL_RESTORED', reason: 'a copy' },
        expiresAt: undefined,
      })
    await bot.close()
    for (const [method, ...params] of [
      ['evm_increaseTime', 600],
      ['evm_mine'],
      ['evm_mine'],
    ] as const)
      await fork.rpc.request({ method, params, parse: (answer) => answer })
    const node = await startLyingNode(fork.ready.rpcUrl)
    const notes: string[] = []
    try {
      const { chain } = config
      const secret = { ...chain.rpcUrl, reveal: () => node.url }
      const found = await recoverBooks({
        config: { ...config, chain: { ...chain, rpcUrl: secret } },
        ...{ strategies: [], reason: 'a test', clock: systemClock },
        ...{ signal: new AbortController().signal, note: (line: string) => notes.push(line) },
      })
      expect(found).toMatchObject({ swaps: 0, approvals: 0, foreign: [] })
      expect(node.count('eth_sendRawTransaction')).toBe(0)
      expect(notes).toEqual([expect.stringContaining('NOT_SENT')])
    } finally {
      await node.close()
    }
    const journal = await openJournal({ ...config, clock: systemClock })
    const { state, attempts } = await journal.swaps.load(swapId)
    await journal.shut()
    expect([state, attempts.length]).toEqual([record.state, 1])
  },
)
