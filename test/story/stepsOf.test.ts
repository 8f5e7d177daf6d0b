import { expect, test } from 'vitest'
import type { Dossier } from '../../src/bot/dossier.ts'
import type { AttemptRecord } from '../../src/bot/record.ts'
import { stepsOf } from '../../src/story/stepsOf.ts'
import { samplePlan, usdc, wallet, weth } from '../bot/journal/sampleSwap.ts'

const at = Date.UTC(2026, 10, 20, 9)
const usd = (wei: bigint) => ({ token: usdc, wei: wei * 10n ** 15n })
const one = { token: weth, wei: 10n ** 18n }

const attempt = (kind: string, hash: string, replaces: string | null = null): AttemptRecord => ({
  ...{ kind, hash, nonce: 7, replaces, maxFeeWei: '2500000000', tipWei: '1', signedAt: '' },
  ...{ sentAtBlock: null, publishedAt: null, verdict: null, answer: null },
})

/** A swap of everything that can happen to one. */
const swap: Dossier = {
  ...{ id: 'a1', strategy: 'test', state: 'SETTLED', code: undefined, reason: undefined },
  ...{ createdAt: at, updatedAt: at, signedAt: at, nonce: 7, gasUsed: 1n, gasPaid: 2n },
  plan: samplePlan({
    intent: { sell: one, buy: usdc, floor: usd(2_990n), reason: 'because' },
    recipient: `0x${'b'.repeat(40)}`,
    notional: usd(3_000n),
    arrival: { fair: usd(3_001n), sources: ['a feed', 'a pool'], at },
  }),
  quote: {
    ...{ quoteId: '0xq', amountOut: usd(3_000n), minimum: usd(2_997n), deadline: at / 1_000 + 30 },
    ...{ source: 'maker-a', requestedAt: at, receivedAt: at + 1_500 },
    simulation: {
      ...{ block: 9, spent: one, received: usd(3_000n), gas: 180_000n, proof: 'proven' },
    },
    appraisal: {
      ...{ askedAt: at, notional: undefined, coin: undefined },
      references: [
        { source: `pool 0x${'c'.repeat(40)}`, fair: usd(3_001n), independent: true, at },
        { source: 'service', fair: usd(3_002n), independent: false, at },
      ],
      absent: [{ source: `feed 0x${'d'.repeat(40)}`, reason: 'its answer is old' }],
    },
  },
  moved: { sold: one, received: usd(2_999n) },
  ...{ gasPaidInAll: 200_000_000_000_000n, tipPaidInAll: 1_000_000_000_000n, agrees: true },
  block: 9,
  attempts: [attempt('APPROVE', '0xa'), attempt('SWAP', '0xs'), attempt('SWAP', '0xt', '0xs')],
  events: [],
}
const answers = [
  { endpoint: 'a.example', verdict: 'accepted', words: '' },
  { endpoint: 'b.example', verdict: 'ambiguous', words: 'HTTP 502' },
]

/** The entries of the log, each kind of them in every form that is told otherwise. */
const life: readonly (readonly [type: string, facts: Readonly<Record<string, unknown>>])[] = [
  ['PLANNED', {}],
  ['APPROVING', { hash: '0xa' }],
  ['SENT', { hash: '0xa', block: 5, verdict: 'accepted', words: 'accepted' }],
  ['OFFERED', { hash: '0xa', block: 6, verdict: 'ambiguous', words: 'HTTP 502' }],
  ['APPROVED', { hash: '0xa', block: 6, success: true, gas_paid: '21000000000000' }],
  ['APPROVED', { hash: '0xa', block: 6, success: false }],
  ['PERMITTED', { permitNonce: '4', deadline: at / 1_000 + 60 }],
  ['PERMITTED', { permit2Nonce: '5' }],
  ['VERIFIED', {}],
  ['SIGNED', { hash: '0xs' }],
  ['SIGNED', { hash: '0xt', nonce: 7 }],
  ['SIGNED', {}],
  ['SENT', { hash: '0xs', block: 7, to: ['a.example', 'b.example', 'c.example'], answers }],
  ['SENT', { hash: '0xs', because: 'a reorganisation dropped it' }],
  ['OFFERED', { hash: '0xs', block: 8, to: ['r.example'], isPrivate: true, offeredAt: at + 9_000 }],
  ['ANSWERED', { answers }],
  ['PUBLISHED', { hash: '0xs', to: ['a.example'], afterMs: 25_000 }],
  ['PUBLISHED', {}],
  ['CANCELLING', { hash: '0xc', nonce: 7 }],
  ['CANCELLING', { because: 'a reorganisation dropped it' }],
  ['INCLUDED', { block: 9, success: true }],
  ['INCLUDED', { block: 9, success: false }],
  ['SETTLED', { agrees: true }],
  ['SETTLED', { agrees: false, rounded: true }],
  ['SETTLED', { agrees: false }],
  ['SETTLED', {}],
  ['REVERTED', { code: 'SWAP_REVERTED', reason: 'It reverted.', gas_paid: '30000000000000' }],
  ['ABANDONED', { code: 'MISSED', reason: 'Its slot is over.' }],
  ['EXPIRED_DEAD', {}],
  ['WRITTEN_OFF', { reason: 'a person looked' }],
  ['WRITTEN_OFF', {}],
]

const told = (one: Dossier) =>
  stepsOf(one, {
    entries: life.map(([type, facts], seq) => ({ seq, at: at + seq * 1_000, type, facts })),
    currency: 'ETH',
  })
    .map(({ at, step, text }) => `${at} ${step}: ${text}`)
    .join('\n')

test('stepsOf: every kind of entry, in every form', async () => {
  await expect(`${told(swap)}\n`).toMatchFileSnapshot('golden/life.txt')
})

test('stepsOf: of a journal that knows little', async () => {
  const little = { ...swap.plan, notional: undefined, arrival: undefined, recipient: wallet }
  const older: Dossier = {
    ...{ ...swap, plan: little, attempts: [], tipPaidInAll: undefined, gasPaidInAll: undefined },
    moved: { sold: one, received: usd(3_000n) },
    quote: swap.quote && {
      ...{ ...swap.quote, source: undefined, receivedAt: undefined, appraisal: undefined },
      simulation: { ...swap.quote.simulation, block: undefined, proof: undefined },
    },
  }
  await expect(`${told(older)}\n`).toMatchFileSnapshot('golden/little.txt')
})

test('stepsOf: more than simulated, without a quote, and nothing moved', () => {
  const steps = (one: Dossier) =>
    stepsOf(one, { entries: [{ seq: 1, at, type: 'SETTLED', facts: {} }], currency: 'ETH' })
  const more = { ...swap, moved: { sold: one, received: usd(3_001n) } }
  expect(steps(more)[1]?.text).toMatch(/more than simulated$/)
  expect(steps({ ...swap, quote: undefined }).map(({ step }) => step)).toEqual(['settled'])
  expect(steps({ ...swap, moved: undefined })).toEqual([])
})
