import { createHash } from 'node:crypto'
import { assert } from '../../core/assert.ts'

/** So many bits of the hash are used: a double still holds them exactly. */
const bytes = 6

/**
 * By how many milliseconds a slot of a strategy is put off: from nothing to all of `seconds`, each equally likely, and
 * after a restart the same as before it.
 */
export function jitterOf(name: string, slot: number, seconds: number): number {
  assert(seconds >= 0 && Number.isFinite(seconds), 'a jitter is a time')
  if (seconds === 0) return 0
  const hash = createHash('sha256').update(`${slot}:${name}`).digest().readUIntBE(0, bytes)
  return Math.floor((hash / 2 ** (8 * bytes)) * (Math.floor(seconds * 1_000) + 1))
}
