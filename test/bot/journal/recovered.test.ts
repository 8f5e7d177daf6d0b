import { keccak256, serializeTransaction } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RecoveredBytes } from '../../../src/bot/journal/attempts/recovered.ts'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { type Place, places } from '../../support/journals.ts'
import { samplePlan, wallet } from './sampleSwap.ts'

/** As a chain shows them; each price makes other bytes. */
function minedAt(maxFeePerGas: bigint): RecoveredBytes {
  const raw = serializeTransaction(
    { type: 'eip1559', chainId: 31_337, nonce: 0, to: wallet, gas: 1n, maxFeePerGas },
    { r: `0x${'1'.repeat(64)}`, s: `0x${'2'.repeat(64)}`, yParity: 0 },
  )
  return { raw, hash: keccak256(raw), nonce: 0, minedAt: 5_000 }
}
const terms = {
  ...{ router: wallet, quoteId: '0x1', deadline: 1_000, minimum: 1n, permit: undefined },
  authorization: `0x${'4'.repeat(64)}` as const,
}

describe.each(places)('what is recovered, on $dialect', ({ make }) => {
  let place: Place
  let journal: Journal
  beforeEach(async () => {
    place = await make()
    journal = await openJournal({ ...place, clock: systemClock })
    await journal.wallet.adopt({ chainId: 31_337, wallet, nonceOfChain: 0 })
  })
  afterEach(async () => {
    await journal.shut()
    await place.remove()
  })

  const [first, dearer] = [minedAt(1n), minedAt(2n)]

  test.each([
    ['SWAP', ['SIGNED', 'SIGNED']],
    ['CANCEL', ['SIGNED', 'CANCELLING']],
  ] as const)(
    'a dearer %s is of the same nonce, and the log names both bytes',
    async (kind, told) => {
      const { swapId, ...plan } = samplePlan()
      await journal.recovered.plan({ ...plan, swapId }, 4_000)
      await journal.recovered.swap(swapId, first, terms)
      await journal.recovered.bid(swapId, kind, dearer)
      expect(
        await place.rows('SELECT kind, hash, nonce, replaces FROM attempt ORDER BY replaces'),
      ).toEqual(
        expect.arrayContaining([
          { kind: 'SWAP', hash: first.hash, nonce: 0, replaces: null },
          { kind, hash: dearer.hash, nonce: 0, replaces: first.hash },
        ]),
      )
      const events = await place.rows<{ type: string; facts: string }>(
        'SELECT type, facts FROM event ORDER BY seq',
      )
      expect(events.map(({ type }) => type)).toEqual(['PLANNED', 'VERIFIED', ...told])
      expect(JSON.parse(events.at(-1)?.facts ?? '')).toMatchObject({
        ...{ hash: dearer.hash, replaces: first.hash },
      })
      await journal.log.assertConsistent()
    },
  )
})
