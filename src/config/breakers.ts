import { bpsText, duration, integer } from './file/codecs.ts'
import { key, reject, section } from './file/field.ts'
import type { TokenCodecs } from './tokens.ts'

const lock = (text: string) =>
  key(
    duration({ min: '1s', max: '30d', example: text }).prefault(text),
    'How long signing stops.',
    'lockMs',
  )

/** Bounded, or the ends that are looked back at would not reach so far. */
const over = (doc: string) =>
  key(duration({ min: '0s', max: '30m', example: '5m' }).prefault('5m'), doc, 'overMs')

const count = (text: string, doc: string) =>
  key(integer({ min: 1, max: 100, example: text }).prefault(text), doc)

const clockTime = (text: string) => duration({ min: '1s', max: '1h', example: text }).prefault(text)

const refusals = section(
  {
    count: count('5', 'Swaps of one strategy that were refused in a row.'),
    over: over('The time that lies between the first and the last of them at least.'),
    lock: lock('15m'),
  },
  '{ count: 5, over: 5m, lock: 15m }',
)
const failures = section(
  {
    count: count(
      '3',
      'Swaps of one wallet that only cost gas, their own or that of their approvals: so many in a row, or more than so many of the last twice as many (of ten at most).',
    ),
    lock: lock('1h'),
  },
  '{ count: 3, lock: 1h }',
)
const priceJump = section(
  {
    above: key(
      bpsText('500 bps').prefault('500 bps'),
      'The move of a price that is too large.',
      'bps',
    ),
    within: key(
      duration({ min: '1s', max: '30d', example: '10m' }).prefault('10m'),
      'The time in which it moves.',
      'withinMs',
    ),
    lock: lock('5m'),
  },
  '{ above: 500 bps, within: 10m, lock: 5m }',
)
const priceDrift = section(
  {
    above: key(
      bpsText('3000 bps').prefault('3000 bps'),
      'How far a price may be from the middle of our own prices of the last 24 hours.',
      'bps',
    ),
    lock: lock('1h'),
  },
  '{ above: 3000 bps, lock: 1h }',
)
const clock = section(
  {
    ahead: key(
      clockTime('60s'),
      "How far this machine's clock may be from the chain's.",
      'aheadMs',
    ),
    over: over('For how long, where the newest block is too old to decide on.'),
    service: key(clockTime('10s'), "How far it may be from the quoting service's.", 'serviceMs'),
    lock: lock('5m'),
  },
  '{ ahead: 60s, over: 5m, service: 10s, lock: 5m }',
)
/** `breakers:` — when signing stops by itself, and for how long. */
export function breakersSection({ amount, native }: TokenCodecs) {
  // Gas is paid in the chain's own currency, and a limit of nothing would lock for ever.
  const gas = amount('0.5 ETH', ({ token, wei }, written) => {
    if (wei === 0n)
      reject(
        `${written} locks after the first swap: write what a day may cost, or remove the key for no limit.`,
      )
    if (native !== undefined && token.symbol !== native.symbol)
      reject(
        `${written} is not in ${native.symbol}, which pays for gas: write an amount of ${native.symbol}.`,
      )
  })
  return section(
    {
      refusals: key(refusals.prefault({}), 'Swaps that verification or simulation refused.'),
      failures: key(failures.prefault({}), 'Swaps that failed on the chain.'),
      priceJump: key(priceJump.prefault({}), 'A price that jumps.'),
      priceDrift: key(priceDrift.prefault({}), 'A price far from those of the last day.'),
      witness: key(
        section({ lock: lock('10m') }, '{ lock: 10m }').prefault({}),
        'Two nodes that disagree.',
      ),
      clock: key(clock.prefault({}), 'A clock that is wrong.'),
      maxGasPerDay: key(
        gas.optional().transform((limit) => limit?.wei),
        "The most that gas may cost in 24 hours, in the chain's own currency; without it there is no limit.",
        'gasPerDayMax',
      ),
    },
    '{ refusals: { count: 5, lock: 15m }, maxGasPerDay: 0.5 ETH }',
  ).prefault({})
}
