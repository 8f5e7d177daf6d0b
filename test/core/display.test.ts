import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asWritten, display, shortAddress } from '../../src/core/display.ts'
import { anyText } from '../support/anyText.ts'

test('display: a terminal sequence, a line break and a text direction lose their power', () => {
  expect(display('\u{1b}[2Jok\nok\u{202e}gnp\u{200b}\u{9b}')).toBe('�[2Jok�ok�gnp��')
})

test('display: plain words stay as they are', () => {
  expect(display('All pricer failed: 3 of 3 — größer als 10 €')).toBe(
    'All pricer failed: 3 of 3 — größer als 10 €',
  )
})

test('display: is never longer than its limit and never holds a control character', () => {
  fc.assert(
    fc.property(anyText({ maxLength: 500 }), (text) => {
      const shown = display(text, 100)
      expect(shown.length).toBeLessThanOrEqual(101)
      expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    }),
  )
})

test('asWritten: up to 64 characters are repeated whole, and none that steers a terminal', () => {
  expect(asWritten('5 WETH\u{1b}[2J')).toBe("'5 WETH�[2J'")
  expect(asWritten('a'.repeat(64))).toBe(`'${'a'.repeat(64)}'`)
  expect(asWritten('a'.repeat(65))).toBe(`'${'a'.repeat(64)}…'`)
})

test('shortAddress: the first four digits and the last four', () => {
  expect(shortAddress(`0x1234${'0'.repeat(32)}cdef`)).toBe('0x1234…cdef')
})
