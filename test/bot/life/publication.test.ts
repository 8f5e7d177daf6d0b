import { describe, expect, test } from 'vitest'
import { withPublication } from '../../../src/bot/life/bids.ts'
import type { Drivetrain } from '../../../src/bot/life/train.ts'
import type { OfferedBytes, Situation } from '../../../src/bot/next.ts'

const publicly = { afterMs: 20_000, to: ['https://node'], blockTimeMs: 12_000 }
const at = (now: number, decided: Pick<Drivetrain, 'publicly'> = { publicly }) =>
  ({ ...decided, clock: { now: () => now } }) as Drivetrain
const offer: OfferedBytes = {
  ...{ maxFeePerGas: 10n, bids: 1, sentAtBlock: 99, verdict: 'accepted' },
  ...{ since: 1_000_000, storedAt: 1_000_000, isPublished: false },
}
const swap = (changes: Partial<Situation> = {}): Situation => ({
  ...{ state: 'SENT', nonce: 7, deadline: 1_040, authorization: undefined, included: undefined },
  offer,
  ...changes,
})
const isDueAt = (now: number, changes: Partial<Situation> = {}) =>
  withPublication(swap(changes), at(now)).offer?.isPublicDue === true

describe('[private] when private bytes become public', () => {
  test('once the time has passed since the first of their kind, never before, never without the decision', () => {
    expect([1_000_000, 1_019_999, 1_020_000].map((now) => isDueAt(now))).toEqual([
      false,
      false,
      true,
    ])
    const never = withPublication(swap(), at(1_025_000, {}))
    expect(never.offer?.isPublicDue).toBeUndefined()
    expect(isDueAt(1_025_000, { offer: { ...offer, isPublished: true } })).toBe(false)
    expect(isDueAt(1_025_000, { offer: undefined })).toBe(false)
  })

  test('not when no block can come before the deadline any more', () => {
    expect(isDueAt(1_027_999)).toBe(true)
    expect(isDueAt(1_028_000)).toBe(false)
    expect(isDueAt(2_000_000)).toBe(false)
    // What closes the nonce, and an approval, have no deadline to miss.
    expect(isDueAt(2_000_000, { state: 'CANCELLING' })).toBe(true)
    expect(isDueAt(2_000_000, { state: 'APPROVING', deadline: undefined })).toBe(true)
  })
})
