import { expect, test } from 'vitest'
import { printHtml } from '../../src/core/html.ts'
import { valueCard, worthNow } from '../../src/dashboard/valueCard.ts'
import type { Health, ValueView } from '../../src/dashboard/views.ts'

const at = (hour: number) => `2026-11-20T${String(hour).padStart(2, '0')}:00:00.000Z`
const usd = (text: string) => ({ token: 'USD', wei: `${text}00000000`, text })
const point = (hour: number, worth: string) => ({ at: at(hour), total: usd(worth) })
const seeded = (hour: number, worth: string) => ({ ...point(hour, worth), seeded: true as const })

function cardOf(series: ValueView['series']): string {
  const value = { at: at(12), unit: 'USD', decimals: 8, total: usd('110'), holdings: [], series }
  return printHtml(valueCard(value, { balances: [] } as unknown as Health, Date.parse(at(12))))
}

const lines = (card: string) => [...card.matchAll(/<path class="line"([^>]*)>/g)]
const drawn = (path: string | undefined) => path?.match(/[ML][\d.]+ /g)?.length

test('a seeded past is dashed, ends where it says, and counts in no change', () => {
  const card = cardOf([seeded(1, '50'), seeded(2, '60'), point(10, '100'), point(11, '110')])
  expect(card).toContain(
    `Before <time datetime="${at(10)}">${at(10)}</time> (dashed): seeded past, worth of the first holdings at made-up prices.`,
  )
  expect(card).toContain(`before ${at(10)} made up`)
  expect(card).toContain(`+10.00 %</span> since <time datetime="${at(10)}"`)
  const [past, seen, ...others] = lines(card)
  expect(others).toEqual([])
  expect(past?.[1]).toContain('stroke-dasharray')
  expect(seen?.[1]).not.toContain('stroke-dasharray')
  // It leads to the first point that was seen.
  expect([drawn(past?.[1]), drawn(seen?.[1])]).toEqual([3, 2])
})

test('one point that was seen makes no change of those that were not', () => {
  const card = cardOf([seeded(1, '50'), seeded(2, '60'), point(10, '100')])
  expect(card).not.toContain('since')
  expect(card).toContain('seeded past')
})

test('without a seeded past no word of it is said', () => {
  const card = cardOf([point(10, '100'), point(11, '110')])
  expect(card).not.toMatch(/seeded|made up|dash/)
  expect(lines(card).map(([, path]) => drawn(path))).toEqual([2])
})

test('a line of many points is drawn whole', () => {
  const many = Array.from({ length: 500 }, (_, index) => point(index % 24, `${100 + index}`))
  const [line] = lines(cardOf(many))
  expect(drawn(line?.[1])).toBe(500)
})

test('the change of a day is from the last value that is a day old', () => {
  const old = { ...point(9, '50'), at: '2026-11-18T09:00:00.000Z' }
  const dayOld = { ...point(9, '88'), at: '2026-11-19T09:00:00.000Z' }
  expect(cardOf([old, dayOld, point(11, '110')])).toContain('+25.00 %</span> in 24 hours, ')
  // Nobody valued the wallet for a day and more: what changed meanwhile did not change in a day.
  expect(cardOf([old, point(11, '110')])).not.toContain('in 24 hours')
  expect(cardOf([old, dayOld])).not.toContain('in 24 hours')
})

test.each([
  ['110.0001', '<span class="good">+0.00 %</span>'],
  ['110', '<span class="good">+0.00 %</span>'],
  ['109.9', '<span class="bad">−0.09 %</span>'],
  ['99', '<span class="bad">−10.00 %</span>'],
])('from 110 to %s the sign is that of the change', (worth, said) => {
  const [whole = '', fraction = ''] = worth.split('.')
  const total = { token: 'USD', wei: `${whole}${fraction.padEnd(8, '0')}`, text: worth }
  expect(cardOf([point(10, '110'), { at: at(11), total }])).toContain(said)
})

test('a balance that could not be read leaves the worth of now unknown', () => {
  const amount = (token: string, wei: string) => ({ token, wei, text: wei })
  const worth = (wei: string) => ({ worth: amount('USD', wei) })
  const value = {
    ...{ unit: 'USD', decimals: 0 },
    holdings: [
      { held: amount('WETH', '2'), ...worth('6000') },
      { held: amount('USDC', '500'), ...worth('500') },
    ],
  } as unknown as ValueView
  const [weth, usdc] = [amount('WETH', '1'), amount('USDC', '0')]
  expect(worthNow([weth, usdc], value).total).toMatchObject({ wei: '3000' })
  expect(worthNow([weth], value).total).toBeNull()
  expect(worthNow([], value).total).toBeNull()
})
