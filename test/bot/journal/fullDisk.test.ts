import { expect, test } from 'vitest'
import { fullBytes } from '../../../src/bot/disk.ts'
import { openJournal } from '../../../src/bot/journal/openJournal.ts'
import { diskOf } from '../../../src/bot/journal/store/disk.ts'
import { places } from '../../support/journals.ts'
import { sampleBytes, samplePlan, sampleQuote, wallet } from './sampleSwap.ts'

const subject = { wallet, strategy: 'test', pair: { sell: 'WETH', buy: 'USDC' } }
const clock = { now: () => 1_000_000, sleep: async () => {} }

test.each(places)(
  '$dialect: on a nearly full disk nothing is planned, what is under way is finished, and it goes on by itself',
  async ({ make }) => {
    const place = await make()
    let freeBytes = fullBytes
    const disk = () => ({ folder: '/data', freeBytes })
    const journal = await openJournal({ ...place, clock, disk })
    await journal.wallet.adopt({ chainId: 31_337, wallet, nonceOfChain: 0 })
    const planned = samplePlan()
    await journal.locks.guard('plan', subject)
    await journal.swaps.reserve(planned, () => {})

    freeBytes = fullBytes - 1
    await expect(journal.locks.guard('plan', subject)).rejects.toMatchObject({
      code: 'LOCKED',
      remedy: 'skip',
      facts: {
        code: 'DISK_FULL',
        reason: '127 MiB are free for the journal in /data; with 128 MiB it goes on by itself',
        next: 'make room: it goes on by itself',
      },
    })
    for (const act of ['sign', 'send', 'cancel'] as const) await journal.locks.guard(act, subject)
    await journal.attempts.commitSwap(sampleBytes(planned, 0), sampleQuote(planned))

    freeBytes = fullBytes
    await journal.locks.guard('plan', subject)
    expect(await journal.locks.live()).toEqual([])
    await journal.shut()
    await place.remove()
  },
)

test.each(places)(
  '$dialect: the disk of a file is looked at, that of a server is not',
  async ({ make }) => {
    const place = await make()
    const found = diskOf(place.database)
    if (place.database.dialect === 'sqlite')
      expect(found).toEqual({ folder: place.folder, freeBytes: expect.any(Number) })
    else expect(found).toBeUndefined()
    await place.remove()
  },
)
