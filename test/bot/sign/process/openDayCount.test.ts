import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { DayLimits, Spend } from '../../../../src/bot/sign/process/dayLimits.ts'
import { openDayCount } from '../../../../src/bot/sign/process/openDayCount.ts'
import { usdc, weth } from '../../verify/goodQuote.ts'
import { limits, oneWeth, recipient, wallet } from './signerCase.ts'

let file: string
let now: number
let nonce: number
const clock = { now: () => now, sleep: async () => {} }
const sold = { token: weth, wei: oneWeth }
const perDay = 3n * oneWeth

beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), 'ballast-count-')), 'count')
  now = 1_800_000_000_000
  nonce = 0
})

const refusedBy = (rule: string) =>
  expect.objectContaining({ code: 'SIGNER_REFUSED', facts: { rule } })
const refused = refusedBy('ABOVE_PER_DAY')

/** Opens, counts, closes: what another start would find. */
function count(spends: readonly Partial<Spend>[], changes: Partial<DayLimits> = {}): void {
  const opened = openDayCount({ file, clock })
  const free = { chainId: 31_337, account: wallet, gas: 0n, value: 0n, sale: undefined }
  try {
    for (const one of spends)
      opened.count({ ...free, nonce: ++nonce, ...one }, { ...limits, ...changes })
  } finally {
    opened.close()
  }
}

const saleOf = (id: number, amount = sold) =>
  ({ id: `0x${id.toString(16).padStart(64, '0')}`, sold: amount, perDay }) as const

/** Each sale under a nonce of its own. */
const counting = (times: number, amount = sold) =>
  count(Array.from({ length: times }, (_, index) => ({ sale: saleOf(nonce + index + 1, amount) })))

const lines = () => readFileSync(file, 'utf8').trim().split('\n')

describe('day count', () => {
  test('default: up to the limit and not one unit more, over restarts', () => {
    counting(2)
    counting(1)
    expect(() => counting(1, { token: weth, wei: 1n })).toThrow(refused)
    // Another token has its own limit.
    counting(1, { token: usdc, wei: 1n })
  })

  test('one sale that is signed again for a higher fee counts once, over restarts; another never hides in it', () => {
    const again = () => count([{ nonce: 77, sale: saleOf(77) }])
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
    const opened = openDayCount({ file, clock })
    const spend = { chainId: 31_337, account: wallet, nonce: 5, gas: 6n, value: 7n }
    opened.count({ ...spend, sale: saleOf(1) }, limits)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      at: now,
      chainId: 31_337,
      token: weth.address,
      wei: String(oneWeth),
      sale: saleOf(1).id,
      account: wallet.toLowerCase(),
      nonce: 5,
      gas: '6',
      value: '7',
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    opened.close()
  })

  test('a line that was torn by a crash is taken away; the next one is whole', () => {
    counting(1)
    appendFileSync(file, '{"at":18000')
    counting(2)
    expect(lines()).toHaveLength(3)
    expect(() => counting(1)).toThrow(refused)
  })

  test('a damaged line stops it: a count that is not known is not zero', () => {
    counting(1)
    appendFileSync(file, '{"at":1}\n')
    expect(() => counting(1)).toThrow(
      expect.objectContaining({ code: 'SIGNER_COUNT_BROKEN', facts: { file, line: 2 } }),
    )
    // Once it is mended it opens again: a refusal keeps no lock.
    writeFileSync(file, `${lines()[0]}\n`)
    counting(1)
  })

  test.each([
    ['at the epoch, under the first nonce', { at: 0, nonce: 0 }, true],
    ['before the epoch', { at: -1, nonce: 0 }, false],
    ['under a nonce before the first', { at: 0, nonce: -1 }, false],
  ])('a line %s: %o is read: %s', (_, changes, isRead) => {
    writeFileSync(file, `${JSON.stringify({ chainId: 1, ...changes })}\n`, { mode: 0o600 })
    if (isRead) counting(1)
    else expect(() => counting(1)).toThrow(expect.objectContaining({ code: 'SIGNER_COUNT_BROKEN' }))
  })

  test.each([0o660, 0o610, 0o601])('a file of mode %o, open to others, is refused', (mode) => {
    counting(1)
    chmodSync(file, mode)
    expect(() => counting(1)).toThrow(/chmod 600/)
  })

  test('a folder where everybody may write could hold another count tomorrow', () => {
    chmodSync(dirname(file), 0o777)
    expect(() => counting(1)).toThrow(expect.objectContaining({ code: 'DIRECTORY_NOT_PRIVATE' }))
  })

  test.each([
    ['taken away', () => rmSync(file), 'no such file'],
    [
      'replaced',
      () => {
        rmSync(file)
        writeFileSync(file, '', { mode: 0o600 })
      },
      'was replaced',
    ],
  ])(
    'a file that was %s while it is in use counts nothing: nothing more is signed',
    (_, act, words) => {
      counting(1)
      const opened = openDayCount({ file, clock })
      const one = { chainId: 31_337, account: wallet, gas: 0n, value: 0n, nonce: ++nonce }
      const sale = saleOf(nonce)
      act()
      try {
        expect(() => opened.count({ ...one, sale }, limits)).toThrow(
          expect.objectContaining({
            code: 'SIGNER_COUNT_BROKEN',
            summary: expect.stringContaining(words),
          }),
        )
      } finally {
        opened.close()
      }
    },
  )

  describe('what no day can hold any more leaves the file', () => {
    const yearMs = 365 * 24 * 60 * 60 * 1_000
    /** Lines as the signer writes them, one a minute up to a year ago. */
    const write = (many: number, at = (nth: number) => now - yearMs - (many - nth) * 60_000) =>
      writeFileSync(
        file,
        Array.from(
          { length: many },
          (_, nth) =>
            `${JSON.stringify({ at: at(nth), chainId: 31_337, account: wallet.toLowerCase(), nonce: nth, gas: '1', value: '0' })}\n`,
        ).join(''),
        { mode: 0o600 },
      )

    test('at a start: the last twenty thousand stay', () => {
      write(40_001)
      appendFileSync(file, '{"at":18000')
      counting(2)
      expect(lines()).toHaveLength(20_002)
      expect(JSON.parse(lines()[0] ?? '').nonce).toBe(20_001)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(() => counting(2)).toThrow(refused)
    })

    test('while it runs, and another start reads the same', () => {
      write(39_998)
      counting(3)
      expect(lines()).toHaveLength(20_001)
      expect(() => counting(1)).toThrow(refused)
    })

    test('behind a link the link stays', () => {
      const real = `${file}.real`
      write(40_001)
      renameSync(file, real)
      symlinkSync(real, file)
      counting(1)
      expect(lstatSync(file).isSymbolicLink()).toBe(true)
      expect(readFileSync(real, 'utf8').trim().split('\n')).toHaveLength(20_001)
    })

    test('all of two days stay, however many they are', () => {
      write(50_000, (nth) => now - 2 * 24 * 60 * 60 * 1_000 + 1 + nth)
      count([{ gas: 0n }], { signaturesPerDay: 100_000, signaturesPerHour: 100_000 })
      expect(lines()).toHaveLength(50_001)
    })

    test('a clock that leapt ahead and was set back forgets nothing', () => {
      write(39_998)
      counting(2)
      now += 10 * yearMs
      counting(1)
      expect(lines()).toHaveLength(20_001)
      now -= 10 * yearMs
      // Of the day before the leap two count, of the day ahead one.
      expect(() => counting(1)).toThrow(refused)
    })

    test('a file that cannot be replaced goes on as it is, and leaves at a later start', () => {
      write(40_001)
      mkdirSync(`${file}.new`)
      counting(3)
      expect(lines()).toHaveLength(40_004)
      expect(() => counting(1)).toThrow(refused)
      rmSync(`${file}.new`, { recursive: true })
      expect(() => counting(1)).toThrow(refused)
      expect(lines()).toHaveLength(20_000)
    })
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

describe('the coin of a day', () => {
  const gasOnly: Partial<DayLimits> = { coinPerDay: { wei: 100n, counts: 'gas' } }
  const both: Partial<DayLimits> = { coinPerDay: { wei: 100n, counts: 'gas and value' } }
  const beyond = refusedBy('COIN_PER_DAY')

  test('gas counts up to the limit and not one wei more, over restarts, for 24 hours', () => {
    count([{ gas: 60n }], gasOnly)
    expect(() => count([{ gas: 41n }], gasOnly)).toThrow(
      expect.objectContaining({
        ...{ code: 'SIGNER_REFUSED', facts: { rule: 'COIN_PER_DAY' } },
        summary: expect.stringContaining(
          "would be 0.000000000000000101 of the chain's coin, more than 0.0000000000000001 (",
        ),
      }),
    )
    count([{ gas: 40n }], gasOnly)
    now += 24 * 60 * 60 * 1_000 - 1
    expect(() => count([{ gas: 1n }], gasOnly)).toThrow(beyond)
    now += 1
    count([{ gas: 100n }], gasOnly)
  })

  test('coin that is sent counts where the file sets a limit of its own', () => {
    count([{ gas: 60n, value: 1_000n }], gasOnly)
    expect(() => count([{ gas: 1n }], both)).toThrow(beyond)
    now += 24 * 60 * 60 * 1_000
    count([{ gas: 60n, value: 40n }], both)
    expect(() => count([{ value: 1n }], both)).toThrow(beyond)
  })

  test('a replacement counts its difference; a cheaper one frees nothing', () => {
    for (const gas of [60n, 70n, 10n, 70n, 5n]) count([{ nonce: 7, gas }], gasOnly)
    expect(lines().map((line) => JSON.parse(line).gas)).toEqual(['60', '10', '0', '0', '0'])
    expect(() => count([{ nonce: 8, gas: 31n }], gasOnly)).toThrow(beyond)
    count([{ nonce: 8, gas: 30n }], gasOnly)
    expect(() => count([{ nonce: 7, gas: 71n }], gasOnly)).toThrow(beyond)
  })

  test('the nonce of another chain or account is another nonce', () => {
    count([{ nonce: 7, gas: 40n }], gasOnly)
    count([{ nonce: 7, gas: 40n, account: recipient }], gasOnly)
    expect(() => count([{ nonce: 7, gas: 40n, chainId: 1 }], gasOnly)).toThrow(beyond)
  })

  test('a nonce whose first count is forgotten counts again: nothing rides on it for ever', () => {
    count([{ nonce: 7, gas: 90n }], gasOnly)
    now += 23 * 60 * 60 * 1_000
    count([{ nonce: 7, gas: 100n }], gasOnly)
    now += 60 * 60 * 1_000
    expect(() => count([{ nonce: 7, gas: 101n }], gasOnly)).toThrow(beyond)
    count([{ nonce: 7, gas: 100n }], gasOnly)
    expect(() => count([{ nonce: 8, gas: 1n }], gasOnly)).toThrow(beyond)
  })
})

describe('the number of signatures', () => {
  test('an hour and a day hold so many, the same nonce again among them', () => {
    const few: Partial<DayLimits> = { signaturesPerHour: 2, signaturesPerDay: 3 }
    count([{ nonce: 7 }, { nonce: 7 }], few)
    now += 60 * 60 * 1_000 - 1
    expect(() => count([{}], few)).toThrow(refusedBy('SIGNATURES_PER_HOUR'))
    now += 1
    count([{}], few)
    expect(() => count([{}], few)).toThrow(refusedBy('SIGNATURES_PER_DAY'))
    now += 23 * 60 * 60 * 1_000
    count([{}, {}], few)
  })

  test('lines of an older version count as sales and signatures', () => {
    const old = { at: now, chainId: 31_337, token: weth.address, wei: String(oneWeth) }
    const text = [old, { ...old, sale: saleOf(77).id }].map((one) => JSON.stringify(one))
    writeFileSync(file, `${text.join('\n')}\n`, { mode: 0o600 })
    count([{ nonce: 77, sale: saleOf(77) }])
    counting(1)
    expect(() => counting(1)).toThrow(refused)
    // Their gas was not written down.
    const coinPerDay = { wei: 100n, counts: 'gas' } as const
    expect(() => count([{ gas: 101n }], { coinPerDay })).toThrow(refusedBy('COIN_PER_DAY'))
    count([{ gas: 100n }], { coinPerDay })
    expect(() => count([{}], { signaturesPerHour: 5 })).toThrow(refusedBy('SIGNATURES_PER_HOUR'))
  })
})
