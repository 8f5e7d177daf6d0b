import { expect, test } from 'vitest'
import { openToOthers } from '../../src/core/openToOthers.ts'

const [own, other, root] = [1000, 1001, 0]

test.each([
  [0o600, own, false],
  [0o400, own, false],
  [0o100400, own, false],
  // Its owner is this account, and can shut the group out.
  [0o640, own, true],
  [0o440, own, true],
  // Its owner is another: this account reads it through its group.
  [0o440, root, false],
  [0o640, other, false],
  [0o460, root, true],
  [0o450, root, true],
  [0o444, root, true],
  [0o404, root, true],
  [0o604, own, true],
])('a file of mode %o of the account %i: open to others is %s', (mode, uid, isOpen) => {
  expect(openToOthers({ mode, uid }, own)).toBe(isOpen)
})

test('root reads everything, so that no group hands it a file', () => {
  expect(openToOthers({ mode: 0o440, uid: own }, root)).toBe(true)
  expect(openToOthers({ mode: 0o600, uid: own }, root)).toBe(false)
})

test('Windows has no such mode', () => {
  const { getuid } = process
  try {
    Reflect.deleteProperty(process, 'getuid')
    expect(openToOthers({ mode: 0o666, uid: root })).toBe(false)
  } finally {
    Object.assign(process, { getuid })
  }
})
