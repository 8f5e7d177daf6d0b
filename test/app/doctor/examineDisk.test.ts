import { expect, test } from 'vitest'
import { examineDisk } from '../../../src/app/doctor/examineDisk.ts'
import { fullBytes, lowBytes } from '../../../src/bot/disk.ts'

test.each<[string, number, string, RegExp]>([
  ['room', lowBytes, 'ok', /undefined$/],
  ['little room', lowBytes - 1, 'warn', /1024 MiB or more \(DISK_LOW\)$/],
  ['the least room', fullBytes, 'warn', /DISK_LOW/],
  ['no room', fullBytes - 1, 'fail', /128 MiB at least: .* \(DISK_FULL\)$/],
])(
  'doctor: %s for the journal, by the limits of a running bot',
  (_, freeBytes, state, expected) => {
    const [found, ...others] = examineDisk({ folder: '/data', freeBytes })
    expect(others).toEqual([])
    expect(found).toMatchObject({ name: 'disk', state })
    expect(found?.actual).toMatch(/^\d+ MiB are free in \/data$/)
    expect(String(found?.expected)).toMatch(expected)
  },
)

test('doctor: the disk of a server is not looked at', () => {
  expect(examineDisk(undefined)).toEqual([])
})
