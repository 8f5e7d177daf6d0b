import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { masked, maskedJson } from '../../../src/bot/journal/store/text.ts'
import { display } from '../../../src/core/display.ts'
import { canonicalJson } from '../../../src/core/json.ts'
import { forgetSecrets, secret } from '../../../src/core/secret.ts'

afterEach(forgetSecrets)

const key = 'k3y-"of"-the-n0de'
const piece = fc.constantFrom(
  'plain',
  key,
  '1234567890',
  '\u202e',
  '\n',
  '×',
  'é',
  '\\',
  '"',
  '\u00ad',
  '',
)
const text = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''))
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.bigInt(),
    fc.integer(),
    fc.constantFrom(null, undefined, true),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(
      fc.oneof(text, fc.constantFrom('10', '9', '__proto__', 'constructor')),
      tie('any'),
      {
        maxKeys: 4,
      },
    ),
  ),
})).any

test('a value is written as if each of its texts had been masked, and cut, by itself', () => {
  secret(key)
  secret('1234567890')
  fc.assert(
    fc.property(
      value.map((one) => ({ one })),
      fc.constantFrom(undefined, 3, 1_024),
      (given, limit) => {
        const each = (part: string) =>
          limit === undefined ? masked(part) : display(masked(part), limit)
        const written = maskedJson(given, limit === undefined ? {} : { limit })
        expect(written).toBe(canonicalJson(given, each))
        expect(written.replaceAll('"1234567890"', '')).not.toContain(key)
      },
    ),
    { numRuns: 2_000 },
  )
})

test('the names of an object are in order, and none of them changes what it is', () => {
  const given = JSON.parse('{"b":1,"10":2,"9":3,"__proto__":{"x":1},"a":{"d":1,"c":2}}')
  expect(maskedJson(given)).toBe('{"9":3,"10":2,"__proto__":{"x":1},"a":{"c":2,"d":1},"b":1}')
})
