import * as Keystore from 'ox/Keystore'
import type { Hex } from '../../../src/chain/calls/fields.ts'

/** The text of a keystore that opens at once: a thousand rounds in place of the quarter of a million that guard a real one. */
export function cheapKeystore(key: Hex, password: string): string {
  const [derived, options] = Keystore.pbkdf2({ password, iterations: 1_000 })
  return JSON.stringify(Keystore.encrypt(key, derived, options))
}
