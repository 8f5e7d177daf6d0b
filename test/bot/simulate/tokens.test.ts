import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Fork, forkOrigin } from '../../support/forkOrigin.ts'
import { startLyingNode } from '../../support/lyingNode.ts'
import { type Mood, placeMoodyToken } from '../../support/moodyToken.ts'
import { openBotAt } from '../../support/openBotAt.ts'

let fork: Fork
let node: Awaited<ReturnType<typeof startLyingNode>>
let bot: Awaited<ReturnType<typeof openBotAt>>
let token: Awaited<ReturnType<typeof placeMoodyToken>>

beforeAll(async () => {
  fork = await forkOrigin()
  node = await startLyingNode(fork.ready.rpcUrl)
  token = await placeMoodyToken(fork, 'USDC')
  bot = await openBotAt(fork, node.url)
})
afterAll(async () => {
  await bot.close()
  await node.close()
  await fork.close()
})
beforeEach(async () => {
  await token.feel('good')
  bot.signed.length = 0
  node.seen.length = 0
})

const selling = { sell: '1000 USDC', buy: 'WETH', floor: '0.3 WETH' }
const buying = { sell: '1 WETH', buy: 'USDC', floor: '2900 USDC' }
const names = (failure: unknown) =>
  ((failure as { checks?: { name: string; ok: boolean }[] }).checks ?? [])
    .filter(({ ok }) => !ok)
    .map(({ name }) => name)
const swap = (wish: typeof selling) => bot.swap(wish, { signer: bot.signer })

describe('a token that behaves badly', () => {
  const refused: [mood: Mood, wish: typeof selling, check: string, row?: string][] = [
    ['fee', selling, 'simulate.swap', '[TOKEN-01] '],
    ['fee', buying, 'simulate.swap', '[TOKEN-02] '],
    ['returns false', selling, 'simulate.swap', '[TOKEN-04] '],
    ['reentrant', selling, 'simulate.swap', '[TOKEN-18] '],
    ['writes an allowance', selling, 'simulate.storage-writes'],
    ['awake only when gas is paid for', selling, 'simulate.storage-writes'],
    ['rebases', selling, 'simulate.spent', '[TOKEN-11] '],
    ['blocks', buying, 'simulate.swap', '[TOKEN-09] '],
    ['paused', buying, 'simulate.swap', '[TOKEN-09] '],
    ['two-faced', buying, 'simulate.received'],
    ['burns extra', selling, 'simulate.spent'],
    ['mints', buying, 'simulate.storage-writes'],
    ['approves a thief', selling, 'simulate.approval-writes'],
    ['upgrades', buying, 'simulate.storage-writes', '[TOKEN-19] '],
    ['creates', buying, 'simulate.code-writes'],
    ['expires', buying, 'simulate.swap-at-deadline'],
    ['bomb', buying, 'simulate.swap'],
  ]
  for (const [mood, wish, check, row = ''] of refused)
    test(`${row}${mood}: selling ${wish.sell} is refused, nothing is signed, nothing is sent`, async () => {
      await token.expire(Math.floor(Date.now() / 1_000) + 10)
      await token.feel(mood)
      const { failure, record } = await swap(wish)
      expect(failure).toMatchObject({ name: 'Refused', stage: 'simulate' })
      expect(names(failure)).toContain(check)
      expect(record.attempts).toEqual([])
      expect(bot.signed).toEqual([])
      expect(node.count('eth_sendRawTransaction')).toBe(0)
      // Whatever a token answers, what is kept of it is short.
      expect(JSON.stringify(record).length).toBeLessThan(50_000)
    })

  test('[TOKEN-19] a fee that is switched on after the approval: the swap is never signed', async () => {
    const sign: typeof bot.signer.sign = async (what) => {
      await token.feel('fee')
      return bot.signer.sign(what)
    }
    const { failure } = await bot.swap(selling, { signer: { ...bot.signer, sign } })
    expect(names(failure)).toContain('simulate.swap')
    expect(bot.signed).toEqual(['APPROVE'])
    expect(node.count('eth_sendRawTransaction')).toBe(1)
  })

  test('[TOKEN-05] approval race: an allowance that stands is set to zero first, and the swap settles', async () => {
    // What the case before has left behind.
    await token.feel('approval race')
    const { record, failure } = await swap({ ...selling, sell: '2000 USDC', floor: '0.6 WETH' })
    expect(failure).toBeUndefined()
    expect(record.state).toBe('SETTLED')
    expect(bot.signed).toEqual(['APPROVE', 'APPROVE', 'SWAP'])
  })

  test('[TOKEN-03] returns nothing, as USDT does: settles', async () => {
    await token.feel('returns nothing')
    const { record, failure } = await swap(selling)
    expect(failure).toBeUndefined()
    expect(record).toMatchObject({ state: 'SETTLED', agrees: true })
  })

  test('the token behaves: pools, several legs and the native currency pass every trace', async () => {
    const honest = [
      { sell: '1 ETH', buy: 'USDC', floor: '2900 USDC' },
      { sell: '1000 USDC', buy: 'ETH', floor: '0.3 ETH' },
      { sell: '3000 USDC', buy: 'DAI', floor: '2900 DAI' },
      { sell: '3000 USDC', buy: 'WBTC', floor: '0.03 WBTC' },
      { sell: '2 WETH', buy: 'WBTC', floor: '0.06 WBTC' },
      { sell: '500 TETHER', buy: 'USDC', floor: '490 USDC' },
    ]
    for (const wish of honest) {
      const { checks, approvals } = await bot.preview(wish)
      const traced = checks.filter(({ name }) => /storage|traced|approval-writes/.test(name))
      expect(traced).toHaveLength(approvals.length === 0 ? 3 : 4)
    }
  })
})
