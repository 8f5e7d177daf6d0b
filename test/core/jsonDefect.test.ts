import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonDefect } from '../../src/core/jsonDefect.ts'
import { anyText } from '../support/anyText.ts'

/** JSON as a tree in which a key can stand twice, and every character can be written in several ways. */
type Tree =
  | { readonly object: readonly (readonly [Spelt, Tree])[] }
  | { readonly list: readonly Tree[] }
  | { readonly leaf: string }
type Spelt = { readonly key: string; readonly text: string }

const unit = (character: string, how: number): string => {
  const code = character.charCodeAt(0)
  const escaped = `\\u${code.toString(16).padStart(4, '0')}`
  if (how === 1) return escaped
  if (how === 2) return escaped.toUpperCase().replace('\\U', '\\u')
  if (character === '/') return how === 3 ? '\\/' : '/'
  return JSON.stringify(character).slice(1, -1)
}
/** Few names, so that they meet; among them what confuses a scanner. */
const name = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'A',
    'id',
    '"',
    '\\',
    '\\"',
    '/',
    ':',
    '{',
    'é',
    '\u2028',
    '\ud800',
    '0',
    'constructor',
  ),
  anyText({ maxLength: 3 }),
)
const spelt = fc
  .tuple(name, fc.array(fc.nat({ max: 3 }), { minLength: 8, maxLength: 8 }))
  .map(([key, how]): Spelt => {
    const characters = Array.from({ length: key.length }, (_, index) => key.charAt(index))
    return {
      key,
      text: `"${characters.map((one, index) => unit(one, how[index % 8] ?? 0)).join('')}"`,
    }
  })
const space = fc.constantFrom('', ' ', '\n', '\t\r\n ')
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc
      .oneof(
        fc.constantFrom(
          '0',
          '-1.5e3',
          'true',
          'null',
          '""',
          '"\\\\"',
          '"{\\"a\\":1"',
          '":"',
          '1644529534389398715',
        ),
        spelt.map(({ text }) => text),
      )
      .map((leaf): Tree => ({ leaf })),
    fc.array(fc.tuple(spelt, tie('tree')), { maxLength: 4 }).map((object): Tree => ({ object })),
    fc.array(tie('tree'), { maxLength: 4 }).map((list): Tree => ({ list })),
  ),
}))

function written(node: Tree, gap: string): string {
  if ('leaf' in node) return node.leaf
  if ('list' in node)
    return `[${gap}${node.list.map((one) => written(one, gap)).join(`${gap},${gap}`)}${gap}]`
  const fields = node.object.map(([key, value]) => `${key.text}${gap}:${gap}${written(value, gap)}`)
  return `{${gap}${fields.join(`${gap},`)}${gap}}`
}

function isAmbiguous(node: Tree): boolean {
  if ('leaf' in node) return false
  if ('list' in node) return node.list.some(isAmbiguous)
  const keys = node.object.map(([{ key }]) => key)
  return (
    keys.includes('__proto__') ||
    new Set(keys).size < keys.length ||
    node.object.some(([, value]) => isAmbiguous(value))
  )
}

/** `npm run test:json` takes more. */
const texts = Number(process.env.JSON_TEXTS ?? 10_000)

describe('jsonDefect: a key that is there twice', () => {
  test('is found exactly when there is one, however it is spelt, for random texts', () => {
    let found = 0
    fc.assert(
      fc.property(tree, space, (node, gap) => {
        const text = written(node, gap)
        expect(() => JSON.parse(text)).not.toThrow()
        expect(jsonDefect(text) !== undefined, text).toBe(isAmbiguous(node))
        if (isAmbiguous(node)) found += 1
      }),
      { numRuns: texts },
    )
    expect(found).toBeGreaterThan(texts / 20)
  })

  test('is not found in anything JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent)
        fc.pre(!text.includes('__proto__'))
        expect(jsonDefect(text)).toBeUndefined()
      }),
      { numRuns: 5_000 },
    )
  })

  test.each([
    ['{"a":1,"a":1}', 'a', 'is there twice'],
    ['{"a":1,"\\u0061":2}', 'a', 'is there twice'],
    ['{"orders":[{"id":1},{"id":1,"x":{},"id":2}]}', 'orders[].id', 'is there twice'],
    ['[[{"a":{"b":1,"b":2}}]]', '[][].a.b', 'is there twice'],
    ['{"a":{"b":1},"c":{"b":1},"a":3}', 'a', 'is there twice'],
    ['{"":1,"":2}', '', 'is there twice'],
    ['{"x":{"__proto__":{"success":true}}}', 'x.__proto__', 'is no name of a field'],
    ['{"__\\u0070roto__":1}', '__proto__', 'is no name of a field'],
  ])('%s', (text, path, reason) => {
    expect(jsonDefect(text)).toEqual({ path, reason })
  })

  test.each([
    '{"a":{"a":{"a":1}}}',
    '[{"a":1},{"a":1}]',
    '{"a":"a","b":"a"}',
    '{"a":"\\"a\\":"}',
    '["a","a"]',
  ])('not in %s', (text) => expect(jsonDefect(text)).toBeUndefined())
})

describe('jsonDefect: depth', () => {
  const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
  test('64 levels and no more', () => {
    expect(jsonDefect(nested(64))).toBeUndefined()
    expect(jsonDefect(nested(65))).toMatchObject({
      path: 'a[]',
      reason: expect.stringContaining('64'),
    })
  })
  test('a million brackets end at the 65th', () => {
    expect(jsonDefect('['.repeat(1_000_000))).toBeDefined()
  })
  test('siblings are not depth', () => {
    expect(jsonDefect(`[${'[],'.repeat(1_000)}[]]`)).toBeUndefined()
  })
})

test('jsonDefect: any text at all ends without throwing', () => {
  const piece = fc.constantFrom(
    '"',
    '\\',
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    'a',
    '\\u',
    '\ufeff',
    ' ',
    '__proto__',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      jsonDefect(pieces.join(''))
    }),
    { numRuns: texts },
  )
})

test('jsonDefect: what costs a quadratic scanner minutes', () => {
  for (const text of [
    `["${'\\"'.repeat(1_000_000)}"]`,
    `["${'\\\\'.repeat(1_000_000)}"]`,
    `[${'"\\\\",'.repeat(500_000)}1]`,
    `{"a"${' '.repeat(2_000_000)}:1}`,
    '"'.repeat(1_000_000),
  ])
    expect(jsonDefect(text)).toBeUndefined()
})
