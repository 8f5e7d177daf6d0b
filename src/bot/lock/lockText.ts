import type { Lock } from '../lock.ts'

/** A lock as it goes out as JSON: instants as ISO 8601, null where only a person releases it. */
export function lockText({ id, kind, scope, code, reason, openedAt, expiresAt }: Lock) {
  return {
    id,
    kind,
    scope,
    code,
    reason,
    openedAt: new Date(openedAt).toISOString(),
    expiresAt: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
  }
}
