import { appendFileSync, chmodSync, mkdtempSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { openDayCount } from '../../../../src/bot/sign/process/openDayCount.ts'
import { usdc, weth } from '../../verify/goodQuote.ts'
import { oneWeth } from './signerCase.ts'

let file: string
let now: number
const clock = { now: () => now, sleep: async () => {} }
const sold = { token: weth, wei: oneWeth }
const perDay = 3n * oneWeth

beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), 'ballast-count-')), 'count')
  now = 1_800_000_000_000
})

const refused = expect.objectContaining({
  code: 'SIGNER_REFUSED',
  facts: expect.objectContaining({ rule: 'ABOVE_PER_DAY' }),
})

let sales = 0
const saleOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}` as const

/** Opens, counts, closes: what another start would find. */
function counting(times: number, amount = sold): void {
  const count = openDayCount({ file, clock })
  try {
    for (let time = 0; time < times; time += 1)
      count.count(amount, { perDay, sale: saleOf(++sales) })
  } finally {
    count.close()
  }
}

describe('day count', () => {
  test('default: up to the limit and not one unit more, over restarts', () => {
    counting(2)
    counting(1)
    expect(() => counting(1, { token: weth, wei: 1n })).toThrow(refused)
    // Another token has its own limit.
    counting(1, { token: usdc, wei: 1n })
  })

  test('one sale that is signed again for a higher fee counts once, over restarts; another never hides in it', () => {
    const again = () => {
      const count = openDayCount({ file, clock })
      try {
        count.count(sold, { perDay, sale: saleOf(77) })
      } finally {
        count.close()
      }
    }
    again()
    again()
    again()
    counting(2)
    again()
    expect(() => counting(1)).toThrow(refused)
  })

  test('24 hours later it is forgotten, not a millisecond before', () => {
    counting(3)
    now += 24 * 60 * 60 * 1_000 - 1
    expect(() => counting(1)).toThrow(refused)
    now += 1
    counting(3)
    expect(() => counting(1)).toThrow(refused)
  })

  test('a clock that was set back forgets nothing', () => {
    counting(3)
    now -= 10 * 24 * 60 * 60 * 1_000
    expect(() => counting(1)).toThrow(refused)
  })

  test('what was refused is not counted', () => {
    counting(2)
    expect(() => counting(1, { token: weth, wei: 2n * oneWeth })).toThrow(refused)
    counting(1)
  })

  test('is on disk when it returns, for its owner alone', () => {
    const count = openDayCount({ file, clock })
    const sale = saleOf(1)
    count.count(sold, { perDay, sale })
    expect(readFileSync(file, 'utf8')).toBe(
      `${JSON.stringify({ at: now, chainId: 31_337, token: weth.address, wei: String(oneWeth), sale })}\n`,
    )
    expect(statSync(file).mode & 0o777).toBe(0o600)
    count.close()
  })

  test('a line that was torn by a crash is taken away; the next one is whole', () => {
    counting(1)
    appendFileSync(file, '{"at":18000')
    counting(2)
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(3)
    expect(() => counting(1)).toThrow(refused)
  })

  test('a damaged line stops it: a count that is not known is not zero', () => {
    counting(1)
    appendFileSync(file, '{"at":1}\n')
    expect(() => counting(1)).toThrow(expect.objectContaining({ code: 'SIGNER_COUNT_BROKEN' }))
  })

  test('a file that others may write is refused', () => {
    counting(1)
    chmodSync(file, 0o660)
    expect(() => counting(1)).toThrow(/chmod 600/)
  })

  test('a folder where everybody may write could hold another count tomorrow', () => {
    chmodSync(dirname(file), 0o777)
    expect(() => counting(1)).toThrow(expect.objectContaining({ code: 'DIRECTORY_NOT_PRIVATE' }))
  })

  test('two do not count in one file', () => {
    const first = openDayCount({ file, clock })
    expect(() => openDayCount({ file, clock })).toThrow(
      expect.objectContaining({ code: 'SIGNER_RUNNING', fault: 'locked' }),
    )
    first.close()
    counting(1)
  })
})
