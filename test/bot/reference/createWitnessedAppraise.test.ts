import { expect, test } from 'vitest'
import { createWitnessedAppraise } from '../../../src/bot/reference/createAppraise.ts'
import type { Appraisal } from '../../../src/bot/stages.ts'
import { usdOf } from '../../../src/core/token.ts'

const usd = usdOf(1)
const dollars = (wei: bigint) => ({ token: usd, wei })
const appraisal = (changes: Partial<Appraisal> = {}): Appraisal => ({
  askedAt: 10,
  references: [{ source: 'a', fair: dollars(3_000n), independent: true, through: ['a'], at: 1 }],
  absent: [],
  notional: dollars(3_000n),
  coin: dollars(30n),
  pegs: [{ token: usd, offBps: 3 }],
  ...changes,
})
const both = (mine: Partial<Appraisal>, other: Partial<Appraisal>) =>
  createWitnessedAppraise(
    async () => appraisal(mine),
    async () => appraisal(other),
  )({ sell: dollars(1n), buy: usd })

test('the larger value counts, whichever node says it', async () => {
  const lie = { notional: dollars(3n), coin: dollars(1n), pegs: [{ token: usd, offBps: 0 }] }
  const honest = {
    notional: dollars(3_000n),
    coin: dollars(30n),
    pegs: [{ token: usd, offBps: 3 }],
  }
  expect(await both(lie, {})).toMatchObject(honest)
  expect(await both({}, lie)).toMatchObject(honest)
})

test('every price of both must agree with the quote, and is no opinion more', async () => {
  const { references, absent } = await both({}, { absent: [{ source: 'b', reason: 'silent' }] })
  expect(references.map(({ source, through }) => [source, through])).toEqual([
    ['a', ['a']],
    ['by the witness: a', ['a']],
  ])
  expect(absent).toEqual([{ source: 'by the witness: b', reason: 'silent' }])
})

test('where one of them values nothing, nothing is valued', async () => {
  const blind = { notional: undefined, coin: undefined, pegs: [{ token: usd, offBps: undefined }] }
  expect(await both({}, blind)).toMatchObject(blind)
  expect(await both(blind, {})).toMatchObject(blind)
})

test('an appraisal is as old as the older of the two', async () => {
  expect((await both({ askedAt: 5 }, {})).askedAt).toBe(5)
})
