import type { Migration } from 'kysely/migration'
import { attempts } from './migrations/attempts.ts'
import { audit } from './migrations/audit.ts'
import { first } from './migrations/first.ts'
import { baseline } from './migrations/baseline.ts'
import { indexes } from './migrations/indexes.ts'
import { lease } from './migrations/lease.ts'
import { locks } from './migrations/locks.ts'
import { notional } from './migrations/notional.ts'
import { paper } from './migrations/paper.ts'
import { reading } from './migrations/reading.ts'
import { reconciled } from './migrations/reconciled.ts'
import { short } from './migrations/short.ts'
import { signedAt } from './migrations/signedAt.ts'
import { strategies } from './migrations/strategies.ts'

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
