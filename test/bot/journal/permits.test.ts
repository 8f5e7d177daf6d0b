import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
import type { Permit, SignedPermit } from '../../../src/chain/settlement/permit.ts'
import { type Place, places } from '../../support/journals.ts'
import { samplePlan, wallet, weth } from './sampleSwap.ts'

const signed: SignedPermit = {
  deadline: 0n,
  v: 27,
  r: `0x${'1'.repeat(64)}`,
  s: `0x${'2'.repeat(64)}`,
}

describe.each(places)('permits: $dialect', ({ make }) => {
  let place: Place
  let journal: Journal
  let now = 1_800_000_000_000

  beforeEach(async () => {
    now = 1_800_000_000_000
    place = await make()
    journal = await openJournal({ ...place, clock: { now: () => now, sleep: async () => {} } })
    await journal.wallet.adopt({ chainId: 31_337, wallet, nonceOfChain: 0 })
  })
  afterEach(async () => {
    await journal.shut()
    await place.remove()
  })

  /** A swap with a permit of that nonce, good for 30 s. */
  async function permit(nonce: bigint, swapId?: string, by = signed) {
    const planned = samplePlan()
    if (swapId === undefined) await journal.swaps.reserve(planned, () => {})
    const terms: Permit = {
      ...{ name: 'WETH', version: '1', chainId: 31_337, token: weth.address, owner: wallet },
      ...{ spender: wallet, wei: 5n, nonce, deadline: Math.floor(now / 1_000) + 30 },
    }
    const id = swapId ?? planned.swapId
    await journal.attempts.commitPermit({ swapId: id, permit: terms, signed: by })
    return id
  }

  test('of one nonce exclude each other: a swap may have one for each of its quotes', async () => {
    const swapId = await permit(4n)
    now += 1_000
    await permit(4n, swapId)
    await permit(4n)
    await permit(5n)
  })

  test('one that is signed again in the same second is found by the signature that is sent', async () => {
    const other: SignedPermit = { ...signed, s: `0x${'3'.repeat(64)}` }
    const swapId = await permit(4n)
    await permit(4n, swapId, other)
    expect(await journal.recovered.ownerOf(other)).toBe(swapId)
  })

  test('none is stored behind a later one until nobody can use that any more', async () => {
    await permit(5n)
    await expect(permit(4n)).rejects.toMatchObject({ code: 'PERMIT_UNUSABLE' })
    now += 150_000
    await expect(permit(4n)).rejects.toMatchObject({ code: 'PERMIT_UNUSABLE' })
    now += 1_000
    await permit(4n)
  })

  test('under a halt none is stored', async () => {
    const planned = samplePlan()
    await journal.swaps.reserve(planned, () => {})
    await journal.locks.open({
      ...{ kind: 'halt', scope: 'all', code: 'BY_HAND', reason: 'x', expiresAt: undefined },
    })
    await expect(permit(4n, planned.swapId)).rejects.toMatchObject({ code: 'LOCKED' })
  })

  test('what a permit of a token that was never approved may have left behind is in the books', async () => {
    const scopes = [0, 1].map((since) => ({ chainId: 31_337, wallet, since }))
    const booked = () => Promise.all(scopes.map((scope) => journal.books.allowances(scope)))
    expect(await booked()).toEqual([[], []])
    await permit(4n)
    now += 1_000
    const swapId = await permit(5n)
    const permitted = [
      { wei: 5n, isOpen: true },
      { wei: 5n, isOpen: true },
    ]
    const left = { token: weth, spender: wallet, wei: [0n], isSet: false, permitted, swapId }
    expect(await booked()).toEqual([[left], [left]])
  })

  test('each is in the log, whose chain holds', async () => {
    await permit(4n)
    const { defects } = await journal.books.logDefects({ chainId: 31_337, wallet, since: 0 })
    expect(defects).toEqual([])
    expect(await journal.log.verify(undefined)).toMatchObject({ broken: undefined })
  })
})
