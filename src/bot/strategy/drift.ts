import { minOf } from './amounts.ts'
import { type Fields, type GroupOf, notZero, type Rules, type Weight } from './fields.ts'

/** In bps of the whole. */
const triggerDefault = 500
const aversionDefaults = { gamma: 20_000, volatility: 7_000, horizon: 30 * 86_400 } as const

const keys = ({ optional, ...kinds }: Fields) => ({
  trigger: optional(kinds.share, {
    doc: 'How far a weight may be from its target before anything happens. In parts of the whole.',
    example: '5 %',
    default: triggerDefault,
    rule: notZero('would trade at any drift.'),
  }),
  relative: optional(kinds.share, {
    doc: 'The same as a part of the target. Of both the narrower counts.',
    rule: notZero('would trade at any drift.'),
  }),
  destination: optional(kinds.share, {
    doc: 'How far from its target a weight is left.',
    example: '2.5 %',
    default: {
      words: 'half the band, or the target itself where gas is more than 5 bps of the trades',
    },
  }),
  gamma: optional(kinds.factor, {
    doc: 'Risk aversion: what a drift costs its owner, see below.',
    default: aversionDefaults.gamma,
    rule: notZero('is no aversion: no drift would ever be worth a trade.'),
  }),
  volatility: optional(kinds.share, {
    doc: 'Of a year, of any two assets against each other, until their prices have shown more: it counts as a day of them.',
    default: aversionDefaults.volatility,
  }),
  horizon: optional(kinds.seconds, {
    doc: 'How long a drift that is left alone is taken to last.',
    default: aversionDefaults.horizon,
  }),
})
type Drift = GroupOf<typeof keys> & { readonly cron?: string | undefined }

const rules: Rules<Drift & { readonly weights: readonly Weight[] }> = {
  destination: (params) => {
    const { weights, destination = 0 } = params
    const [first = 0n, ...others] = weights.map(({ bps }) => band(bps, params).band)
    return destination === 0 || BigInt(destination) * 10_000n < minOf(first, ...others)
      ? undefined
      : 'does not lie inside the band.'
  },
}

/** Of a target in bps: in hundred-millionths of the whole. */
function band(bps: number, { trigger, relative, destination, cron }: Drift) {
  const given = [
    ...(trigger === undefined ? [] : [BigInt(trigger) * 10_000n]),
    ...(relative === undefined ? [] : [BigInt(bps) * BigInt(relative)]),
  ]
  // A calendar alone has no band; without a calendar there is the default one.
  const [first = cron === undefined ? BigInt(triggerDefault) * 10_000n : 0n, ...others] = given
  const width = minOf(first, ...others)
  const edge = destination === undefined ? width / 2n : minOf(width, BigInt(destination) * 10_000n)
  return { share: BigInt(bps) * 10_000n, band: width, edge }
}

/** How averse, and what is expected of prices before there are any. */
function aversion({ gamma, volatility, horizon }: Drift) {
  return {
    gamma: gamma ?? aversionDefaults.gamma,
    volatilityBps: volatility ?? aversionDefaults.volatility,
    horizonSeconds: horizon ?? aversionDefaults.horizon,
  }
}

/** The drift of a weight from its target: keys, rules, the band of a target, and the cost of a drift to its owner. */
export const drift = { keys, rules, band, aversion }
