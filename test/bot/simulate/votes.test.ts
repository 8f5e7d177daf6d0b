import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { slotOf } from '../../../src/chain/storage/layout.ts'
import { type Fork, forkOrigin } from '../../support/forkOrigin.ts'
import { openBotAt } from '../../support/openBotAt.ts'
import { placeToken } from '../../support/placeToken.ts'

const styles = { 'as ERC20Votes (ENS, ARB)': 0n, 'as COMP and UNI': 1n } as const
/** A wallet's allowance for a thief, and money for that thief. */
const thievish = { allowance: 2n, balance: 3n } as const
const thief = 0xbadn
const delegate = '0x00000000000000000000000000000000de1e9a7e'

let fork: Fork
let token: Awaited<ReturnType<typeof placeToken>>
let bot: Awaited<ReturnType<typeof openBotAt>> | undefined
let plain: string
beforeAll(async () => {
  fork = await forkOrigin()
  token = await placeToken(fork, 'USDC', 'VotesToken')
  plain = readFileSync(fork.ready.config, 'utf8')
})
afterEach(async () => {
  await bot?.close()
  bot = undefined
  await delegates(0n)
})
afterAll(() => fork.close())

const wish = { sell: '1000 USDC', buy: 'WETH', floor: '0.3 WETH' }
const delegates = (to: bigint) => {
  const wallet = fork.ready.wallets.treasury?.address ?? '0x'
  const base = `0x${'7'.padStart(64, '0')}` as const
  return token.store(slotOf({ base, keyFirst: true }, [wallet]), to)
}
const open = async (storage: string) => {
  const config = join(fork.dataDir, 'votes.yaml')
  writeFileSync(config, plain.replace(/^( {2}USDC: \{)/m, `$1 storage: ${storage},`))
  bot = await openBotAt({ ...fork, ready: { ...fork.ready, config } }, fork.ready.rpcUrl)
  return bot
}
const failed = (failure: unknown) =>
  ((failure as { checks?: { name: string; ok: boolean; actual: string }[] }).checks ?? []).filter(
    ({ ok }) => !ok,
  )

describe('a token with votes', () => {
  test.each(Object.entries(styles))(
    '%s: without a delegate nothing is written, and it settles',
    async (_, style) => {
      await token.store(5, style)
      const { swap } = await open('traced')
      expect((await swap(wish)).record.state).toBe('SETTLED')
    },
  )

  test.each(Object.entries(styles))(
    '%s: checkpoints are named and refused, with the key that allows them; with it the swap settles',
    async (_, style) => {
      await token.store(5, style)
      await delegates(BigInt(delegate))
      const { swap } = await open('traced')
      const { failure, record } = await swap(wish)
      expect(record.attempts.filter(({ kind }) => kind === 'SWAP')).toEqual([])
      expect(failed(failure)).toMatchObject([{ name: 'simulate.storage-writes' }])
      expect(failed(failure)[0]?.actual.toLowerCase()).toBe(
        `usdc writes vote checkpoints of ${delegate}: to allow these beside balances, write storage: votes at tokens.usdc`,
      )
      await bot?.close()
      const allowed = await open('votes')
      expect((await allowed.swap(wish)).record).toMatchObject({ state: 'SETTLED', agrees: true })
      // A second swap writes the next checkpoint, behind those that are there.
      expect((await allowed.swap(wish)).record.state).toBe('SETTLED')
    },
  )

  test.each(Object.entries(thievish))(
    'the %s of a delegate it names is no vote, and refused all the same',
    async (_, style) => {
      await token.store(5, style)
      await delegates(thief)
      const { swap } = await open('votes')
      const { failure } = await swap(wish)
      expect(failed(failure)).toMatchObject([{ name: 'simulate.storage-writes' }])
      expect(failed(failure)[0]?.actual).toMatch(/^USDC 0x[0-9a-f]{64}$/)
    },
  )
})
