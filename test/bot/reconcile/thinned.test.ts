import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { reconcileWallet } from '../../../src/app/reconcileWallet.ts'
import { archiveJournal } from '../../../src/bot/journal/archiveJournal.ts'
import { revoke } from '../../../src/bot/life/approvals.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { type Fork, forkOrigin } from '../../support/forkOrigin.ts'
import { type Place, places } from '../../support/journals.ts'
import { openBot } from '../../support/openBot.ts'

const fail = (): never => {
  throw new Error('it has no swap')
}
const oneWeth = { sell: '1 WETH', buy: 'USDC', floor: '2900 USDC' }
const oneEth = { sell: '1 ETH', buy: 'USDC', floor: '2900 USDC' }

describe.each(places)('$dialect: a journal that an archive has thinned', ({ make }) => {
  let fork: Fork
  let place: Place
  let bot: Awaited<ReturnType<typeof openBot>>
  const open = () => openBot({ ...fork, database: place.database })

  beforeEach(async () => {
    fork = await forkOrigin()
    place = await make()
    bot = await open()
    await bot.swap(oneWeth)
  })
  afterEach(async () => {
    await bot.close()
    await place.remove()
    await fork.close()
  })

  /** The cut lies behind all that was done so far. */
  const archive = () =>
    archiveJournal(
      {
        ...{ journal: bot.journal, database: place.database, clock: systemClock },
        folder: join(place.folder, 'archives'),
      },
      systemClock.now() + 1,
    )
  const scope = () => ({
    chainId: bot.config.chain.chainId,
    wallet: bot.config.wallet.address,
    since: 0,
  })
  const notHeld = async (look: 'logDefects' | 'recentLogDefects', since = 0) => {
    const { config, journal } = bot
    const { checks, locks } = await reconcileWallet(
      { config, rpc: fork.rpc, journal, clock: systemClock },
      { since, logDefects: journal.books[look] },
    )
    expect(locks).toEqual([])
    return checks.filter(({ verdict }) => verdict !== 'holds')
  }
  const defects = async () => (await bot.journal.books.logDefects(scope())).defects

  /** A change of the journal past the bot, which is undone again. */
  async function tampered(change: string, undo: string): Promise<readonly string[]> {
    await place.exec(change)
    const found = await defects()
    await place.exec(undo)
    expect(await defects()).toEqual([])
    return found
  }

  test('is clean over everything, since the mark and at a start; a change of what is left is named', async () => {
    const since = systemClock.now()
    const { made } = await archive()
    expect(await place.rows(`SELECT 1 FROM attempt WHERE length(raw) > 0`)).toEqual([])
    expect(await notHeld('logDefects')).toEqual([])
    expect((await bot.journal.reconciliation.mark(scope()))?.seq).toBeGreaterThan(made?.upto ?? 0)
    const [ended] = await bot.journal.swaps.page({ limit: 1 })
    expect((await bot.journal.swaps.load(ended?.id ?? '')).attempts).toEqual([])
    const { address: token } = ended?.plan.intent.sell.token ?? fail()
    await revoke(
      { token, spender: bot.config.service.router, swapId: ended?.id ?? '', wei: 0n },
      bot.train,
    )
    expect(await notHeld('logDefects')).toEqual([])
    await bot.swap(oneEth)
    expect(await notHeld('recentLogDefects', since)).toEqual([])
    await bot.close()
    bot = await open()
    expect(bot.warnings).toEqual([])
    await archive()
    expect(await notHeld('logDefects')).toEqual([])

    const first = `(SELECT min(seq) FROM event WHERE type = 'SENT')`
    const another = [
      `entry ${made?.upto}: an archive ends here, and its entries are not what they were`,
    ]
    const named = (found: readonly string[]) => found.map((one) => one.replace(/ \[\w+\]$/, ''))
    expect(
      named(
        await tampered(
          `UPDATE event SET at = at + 1 WHERE seq = ${first}`,
          `UPDATE event SET at = at - 1 WHERE seq = ${first}`,
        ),
      ),
    ).toEqual(another)
    // What keeps its facts is not hidden among what has none.
    await place.exec(`CREATE TABLE aside AS SELECT * FROM event WHERE type = 'SETTLED'`)
    expect(
      named(
        await tampered(
          `UPDATE event SET type = 'DECIDED', facts = '' WHERE type = 'SETTLED' AND seq <= ${made?.upto}`,
          `UPDATE event SET type = 'SETTLED', facts = (SELECT aside.facts FROM aside WHERE aside.seq = event.seq)
            WHERE seq IN (SELECT seq FROM aside)`,
        ),
      ),
    ).toEqual(another)
    const settled = `state = 'SETTLED' AND received IS NOT NULL`
    expect(
      named(
        await tampered(
          `UPDATE swap SET received = '9' || received WHERE ${settled}`,
          `UPDATE swap SET received = substr(received, 2) WHERE ${settled}`,
        ),
      ),
    ).toHaveLength(2)
    await place.exec(`DELETE FROM event WHERE seq = ${first}`)
    expect(named(await defects())).toEqual([expect.stringMatching(/^entry \d+: it is missing$/)])
  })
})
