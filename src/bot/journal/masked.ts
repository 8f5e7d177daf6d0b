import { withoutSecrets } from '../../core/secret.ts'

/**
 * Text as the journal may keep it: without the value of any secret, because copies of the database go where the
 * configuration does not. Every foreign or composed text passes here on its way in; signed bytes, hashes, plans and
 * keys of rows do not, because they are read back and must be exact.
 *
 * A text of digits alone is an amount: the ledger adds them up, and a key of that form must not make a hole in it.
 */
export function masked(text: string): string {
  return /^\d+$/.test(text) ? text : withoutSecrets(text)
}
