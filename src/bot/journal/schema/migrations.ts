import type { Migration } from 'kysely/migration'
import { first } from './migrations/first.ts'
import {
  indexes,
  lease,
  paper,
  reading,
  reconciled,
  strategies,
} from './migrations/leaseToReading.ts'
import {
  attempts,
  audit,
  baseline,
  locks,
  notional,
  short,
  signedAt,
} from './migrations/locksToAttempts.ts'

/** In the order they apply. A released one is never edited: add the next. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-first': first,
  '0002-locks': locks,
  '0003-audit': audit,
  '0004-baseline': baseline,
  '0005-notional': notional,
  '0006-short': short,
  '0007-signed-at': signedAt,
  '0008-attempts': attempts,
  '0009-lease': lease,
  '0010-indexes': indexes,
  '0011-reconciled': reconciled,
  '0012-strategies': strategies,
  '0013-paper': paper,
  '0014-reading': reading,
}
