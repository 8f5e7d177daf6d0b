import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { archiveJournal } from '../../../../src/bot/journal/archiveJournal.ts'
import { type Journal, openJournal } from '../../../../src/bot/journal/openJournal.ts'
import { type Place, places } from '../../../support/journals.ts'
import { wallet } from '../sampleSwap.ts'
import {
  begin,
  createTrader,
  createVirtualClock,
  tellAll,
  tradeYear,
  yearMs,
} from './tradeThrough.ts'

describe.each(places)('$dialect: two archives at once', ({ make }) => {
  let place: Place
  let journal: Journal
  let other: Journal
  let told: Awaited<ReturnType<typeof tellAll>>
  const clock = createVirtualClock()

  beforeEach(async () => {
    place = await make()
    clock.set(begin)
    journal = await openJournal({ ...place, clock })
    other = await openJournal({ ...place, clock })
    await journal.wallet.adopt({ chainId: 31_337, wallet, nonceOfChain: 0 })
    const trader = createTrader(journal, clock)
    for (const year of [0, 1]) await tradeYear(trader, { year, swaps: 4 })
    clock.set(begin + 2 * yearMs)
    told = await tellAll(place, clock)
  })
  afterEach(async () => {
    await journal.shut()
    await other.shut()
    await place.remove()
  })

  const archives = () => join(place.folder, 'archives')
  const archive = (
    one: Pick<Journal, 'archiving'>,
    { folder = archives() }: { folder?: string } = {},
  ) => archiveJournal({ journal: one, database: place.database, folder, clock }, begin + yearMs)

  /** A journal whose archive goes on only when this is over, once it knows that bodies are left. */
  const waitingFor = (work: () => Promise<unknown>): Pick<Journal, 'archiving'> => ({
    archiving: {
      ...other.archiving,
      async remains(reach) {
        const remains = await other.archiving.remains(reach)
        await work()
        return remains
      },
    },
  })

  /** Every archive that the log names is whole, and everything is told from them. */
  async function expectWhole(): Promise<void> {
    const found = await journal.log.verifyArchives({
      folder: archives(),
      isSigned: async () => true,
    })
    expect(found).toMatchObject([{ verdict: 'whole' }])
    expect(await tellAll(place, clock)).toEqual(told)
  }

  test('in one folder: the second one ends at once with one sentence, and the first is whole', async () => {
    let second: Promise<unknown> = Promise.resolve()
    const { made } = await archive(
      waitingFor(async () => {
        second = archive(journal)
        await second.catch(() => {})
      }),
    )
    await expect(second).rejects.toMatchObject({
      code: 'JOURNAL_BUSY',
      summary: 'Another process is archiving a journal of this name: let it finish.',
    })
    expect(made).toBeDefined()
    await expectWhole()
    expect(await archive(journal)).toEqual({ made: undefined, freed: 0 })
  })

  test('in two folders: the log names the first one alone, which has the bodies', async () => {
    const elsewhere = join(place.folder, 'elsewhere')
    const second = archive(
      waitingFor(() => archive(journal)),
      { folder: elsewhere },
    )
    await expect(second).rejects.toMatchObject({
      code: 'JOURNAL_BUSY',
      summary: 'Another process archived this journal meanwhile: nothing is left to do.',
    })
    await expectWhole()
  })
})
