import { expect, test } from 'vitest'
import { createAppraiseStage } from '../../../src/bot/reference/createAppraise.ts'
import type { Appraisal, Funded } from '../../../src/bot/stages.ts'
import { type Token, usdOf } from '../../../src/core/token.ts'

const dollars = (wei: bigint) => ({ token: usdOf(1), wei })
const euro: Token = { ...usdOf(1), address: '0x00000000000000000000000000000000000003d2' }
const worthWhen = async (planned: Funded['notional'], now: Appraisal['notional']) => {
  const appraisal = { notional: now } as Appraisal
  const stage = createAppraiseStage(async () => appraisal)
  const { notional } = await stage({ notional: planned, intent: {} } as Funded)
  return notional
}

test('a swap is worth the larger of what it was planned at and what it is now', async () => {
  expect(await worthWhen(dollars(5n), dollars(50n))).toEqual(dollars(50n))
  expect(await worthWhen(dollars(50n), dollars(5n))).toEqual(dollars(50n))
})

test('a worth that one of them does not know, or that is in two units, is unknown', async () => {
  expect(await worthWhen(undefined, dollars(1n))).toBeUndefined()
  expect(await worthWhen(dollars(1n), undefined)).toBeUndefined()
  expect(await worthWhen(dollars(1n), { token: euro, wei: 1n })).toBeUndefined()
})
