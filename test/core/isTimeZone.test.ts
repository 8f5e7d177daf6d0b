import { expect, test } from 'vitest'
import { isTimeZone } from '../../src/core/isTimeZone.ts'

test('knows a zone by its name, and no offset, word or empty text', () => {
  const names = ['Europe/Berlin', 'UTC', 'Europe/Berlim', '+02:00', '']
  // Twice: the second answer is the kept one.
  for (const _ of [1, 2]) expect(names.map(isTimeZone)).toEqual([true, true, false, false, false])
})
