import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { orderbook } from '../../../src/api/orderbook.ts'
import { bookBody } from '../../../src/bot/quote/api/bodies.ts'
import { createBookDecoder } from '../../../src/bot/quote/api/createBookDecoder.ts'
import { jsonDefect } from '../../../src/core/jsonDefect.ts'

const row = {
  base_symbol: 'WETH',
  base_address: '0x5fbdb2315678afecb367f032d93f642f64180aa7',
  quote_symbol: 'USDC',
  quote_address: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  levels: [
    [1, 3000],
    [0.5, 2999.5],
  ],
  side: 'bid',
  minimum_in_base: 0,
}
const book = JSON.stringify([row, { ...row, side: 'ask' }])

/** What every book went through before there was a quick way. */
function thorough(text: string) {
  if (jsonDefect(text) !== undefined) return undefined
  try {
    const parsed = orderbook.response.safeParse(bookBody(text))
    return parsed.success ? parsed.data : undefined
  } catch {
    return undefined
  }
}
const quick = (text: string) => createBookDecoder().read(text)

describe('a book that is as the contract says', () => {
  test.each([
    ['as it is', book],
    ['empty', '[]'],
    ['with spaces', JSON.stringify([row], undefined, 2)],
    ['with sides in capitals', book.replace('"bid"', '"BID"')],
    ['with a field of its own', JSON.stringify([{ ...row, tick: 1, maker: 'm' }])],
  ])('%s is read as the schema reads it', (_, text) => {
    expect(quick(text)).toBeDefined()
    expect(quick(text)).toEqual(thorough(text))
  })
})

describe('what leaves a doubt is not taken', () => {
  const nested = `${'['.repeat(70)}${']'.repeat(70)}`
  test.each([
    ['no JSON', `${book}]`],
    ['a byte order mark', `\ufeff${book}`],
    ['an object', '{}'],
    ['a row that is null', '[null]'],
    ['a row that is a list', '[[]]'],
    ['a name that is there twice', book.replace('"side":"bid"', '"side":"bid","side":"bid"')],
    ['the same, spelt otherwise', book.replace('"side"', '"side":"ask","\\u0073ide"')],
    ['twice, before a list', book.replace('"levels":[', '"levels":{"a":1},"levels":[')],
    ['__proto__', book.replace('{', '{"__proto__":{},')],
    ['__proto__, a number', book.replace('{', '{"__proto__":1,')],
    ['nesting without end', book.replace('{', `{"x":${nested},`)],
    ['an infinite price', book.replace('3000', '1e999')],
    ['an infinite minimum', book.replace('"minimum_in_base":0', '"minimum_in_base":1e999')],
    ['a negative amount', book.replace('0.5', '-0.5')],
    ['a price in text', book.replace('3000', '"3000"')],
    ['three figures in a level', book.replace('3000', '3000,1')],
    ['one figure in a level', book.replace('[1,3000]', '[1]')],
    ['levels that are an object', book.replace('[[1,3000],[0.5,2999.5]]', '{}')],
    ['a bad checksum', book.replaceAll('0x5FbD', '0x5Fbd')],
    ['a short address', book.replaceAll('64180aa7', '64180aa')],
    ['an unknown side', book.replace('"bid"', '"buy"')],
    ['a symbol that is null', book.replace('"USDC"', 'null')],
    ['a missing field', book.replace('"minimum_in_base":0', '"x":0')],
  ])('%s', (_, text) => {
    expect(text).not.toBe(book)
    expect(thorough(text)).toBeUndefined()
    expect(quick(text)).toBeUndefined()
  })

  test('a field that may be nested is for the schema', () => {
    const text = JSON.stringify([{ ...row, more: [[[]]] }])
    expect(thorough(text)).toBeDefined()
    expect(quick(text)).toBeUndefined()
  })

  test('a text of millions of lists is judged before it is parsed', () => {
    const of = (levels: number) =>
      JSON.stringify([row]).replace(
        '[1,3000]',
        Array.from({ length: levels }, () => '[1,1]').join(),
      )
    expect(quick(of(1_000_000))?.[0]?.levels).toHaveLength(1_000_001)
    expect(quick(of(2_000_000))).toBeUndefined()
  })
})

/** `npm run test:json` takes more. */
const texts = Number(process.env.JSON_TEXTS ?? 10_000)

test('nothing is taken that the schema refuses, and nothing is read otherwise, for random damage', () => {
  const piece = fc.constantFrom(
    ...['"', '\\', '{', '}', '[', ']', ':', ',', '0', '-', '.', 'e9', '1e999', 'null', '{}', '[]'],
    ...['"a":1,', '"side":"ask",', '"__proto__":1,', '\\u0061', '\ufeff', ' ', 'A', '0x'],
  )
  const damage = fc.record({
    at: fc.nat({ max: book.length }),
    gone: fc.nat({ max: 12 }),
    put: fc.array(piece, { maxLength: 2 }).map((pieces) => pieces.join('')),
  })
  let [taken, refused] = [0, 0]
  fc.assert(
    fc.property(fc.array(damage, { minLength: 1, maxLength: 2 }), (damages) => {
      const text = damages.reduce(
        (before, { at, gone, put }) => before.slice(0, at) + put + before.slice(at + gone),
        book,
      )
      const read = quick(text)
      if (read === undefined) refused += 1
      else {
        taken += 1
        expect(thorough(text), text).toEqual(read)
      }
    }),
    { numRuns: texts },
  )
  expect(taken).toBeGreaterThan(texts / 100)
  expect(refused).toBeGreaterThan(texts / 10)
})

describe('a body that came before', () => {
  const bytes = (text: string) => Buffer.from(text)

  test('is the same text and the same rows', () => {
    const reader = createBookDecoder()
    const first = reader.decode(bytes(book))
    const rows = reader.read(first)
    expect(rows).toEqual([row, { ...row, side: 'ask' }])
    const again = reader.decode(bytes(book))
    expect(Object.is(again, first)).toBe(true)
    expect(reader.read(again)).toBe(rows)
  })

  test('is another with one byte changed', () => {
    const reader = createBookDecoder()
    const rows = reader.read(reader.decode(bytes(book)))
    const other = reader.read(reader.decode(bytes(book.replace('3000', '3001'))))
    expect(other).not.toBe(rows)
    expect(other?.[0]?.levels[0]).toEqual([1, 3001])
    expect(reader.read(reader.decode(bytes(book)))).toEqual(rows)
  })

  test('is remembered as the thorough way read it', () => {
    const reader = createBookDecoder()
    const text = reader.decode(bytes(JSON.stringify([{ ...row, more: [[[]]] }])))
    expect(reader.read(text)).toBeUndefined()
    const rows = thorough(text) ?? []
    reader.keep(text, rows)
    expect(reader.read(reader.decode(bytes(text)))).toBe(rows)
  })

  test('an older text does not become the newest', () => {
    const reader = createBookDecoder()
    const older = reader.decode(bytes(book))
    const newer = reader.decode(bytes('[]'))
    expect(reader.read(older)).toHaveLength(2)
    expect(reader.read(newer)).toEqual([])
    expect(reader.read(newer)).toEqual([])
  })
})
