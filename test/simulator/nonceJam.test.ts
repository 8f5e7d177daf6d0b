import { describe, expect, test, vi } from 'vitest'
import { drive } from '../../src/bot/life/drive.ts'
import { type Planned, pass } from '../../src/bot/stages.ts'
import { createLane } from '../../src/engine/createLane.ts'
import { checkInvariants } from './checkInvariants.ts'
import { createStage } from './createStage.ts'
import { openBot } from './openBot.ts'
import { openMachine } from './openMachine.ts'
import { planOf, type Wish } from './wish.ts'
import { chainId, native, sold, wallet } from './world.ts'

vi.mock('node:sqlite', () => import('./simulatedSqlite.ts'))

const intents = Number(process.env.JAM_INTENTS ?? 100)

/** A node's ways of saying no, each of which has jammed some bot. */
const refusals = [
  'internal error',
  'transaction underpriced',
  'rate limit exceeded',
  'txpool is full',
] as const

/** Plans all of them, lets the node refuse for so long, heals it, and says how they ended. */
async function jam(refusal: (offers: number) => string) {
  const stage = createStage(await openMachine())
  const { train } = await openBot(stage.setup, stage.begin())
  await train.journal.wallet.adopt({ chainId, wallet, nonceOfChain: 0 })
  const wishes = Array.from({ length: intents }, (_, index): Wish => {
    const token = index % 10 === 5 ? sold : native
    return { id: `w${index}`, sell: { token, wei: 10n ** 18n } }
  })
  const lane = createLane()
  const work: Promise<unknown>[] = []
  for (const wish of wishes) {
    const planned = pass<Planned>(planOf(wish, 0))
    expect(await train.journal.swaps.reserve(planned, () => {})).toBe(true)
    work.push(lane(() => drive(planned, train)).catch((error: unknown) => error))
  }

  stage.network.refuse(refusal)
  const all = Promise.all(work)
  expect(await stage.until(all, { blocks: 300 })).toBe('pending')
  // One nonce is all that is out, however long it takes: nothing is signed behind it.
  expect(stage.network.head().state.nonce).toBe(0)
  expect(await train.journal.wallet.state({ chainId, wallet })).toEqual({ nextNonce: 1 })
  expect((await train.journal.swaps.open()).length).toBe(intents)

  stage.network.refuse(undefined)
  expect(await stage.until(all, { blocks: 20 * intents })).toBe('done')
  expect(await checkInvariants({ ...stage, wishes, plansMax: 1 })).toEqual([])
  const states = stage.disk.rows<{ state: string; n: number }>(
    'SELECT state, count(*) AS n FROM swap GROUP BY state ORDER BY state',
  )
  return Object.fromEntries(states.map(({ state, n }) => [state, n]))
}

describe('simulator: nonce jam', () => {
  test(`${intents} intents prepared while the node refuses to broadcast, then healed: no gap, no drift, all decided`, async () => {
    // The first one's quote ran out while nobody took it; what waited behind it was quoted when its turn came.
    expect(await jam((offers) => refusals[offers % refusals.length] ?? refusals[0])).toEqual({
      EXPIRED_DEAD: 1,
      SETTLED: intents - 1,
    })
  })

  test('the same, where the node blames a gap: nothing new begins until that has passed, and all are decided', async () => {
    const { EXPIRED_DEAD = 0, ABANDONED = 0, SETTLED = 0 } = await jam(() => 'nonce too high')
    expect(EXPIRED_DEAD).toBe(1)
    // Whose turn came within those minutes was not signed; the rest was.
    expect(ABANDONED).toBeGreaterThan(0)
    expect(ABANDONED).toBeLessThan(intents / 5)
    expect(EXPIRED_DEAD + ABANDONED + SETTLED).toBe(intents)
  })
})
