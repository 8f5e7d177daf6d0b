import { readFileSync } from 'node:fs'
import pg, { type ClientConfig } from 'pg'
import { assert } from '../../../core/assert.ts'
import type { Secret } from '../../../core/secret.ts'
import { timeouts } from './limits.ts'

/** Type of count, max and of every integer here. */
const int8 = 20

/**
 * How the server of an address is reached. Everything is from the address and nothing from the environment, where
 * the driver would look for what is left out. A server elsewhere is spoken to over TLS and must show its certificate.
 */
export function connectionOf(url: Secret): ClientConfig {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url.reveal())
  const authority = searchParams.get('sslrootcert')
  return {
    host: decodeURIComponent(hostname).replace(/^\[|\]$/g, ''),
    port: Number(port || 5_432),
    user: decodeURIComponent(username),
    password: () => decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)),
    ssl: isPlain(hostname, searchParams.get('sslmode'))
      ? false
      : { ...(authority === null ? {} : { ca: readFileSync(authority, 'utf8') }) },
    application_name: 'ballast',
    connectionTimeoutMillis: timeouts.connect,
    statement_timeout: timeouts.statement,
    lock_timeout: timeouts.lock,
    idle_in_transaction_session_timeout: timeouts.idleInTransaction,
    query_timeout: timeouts.answer,
    keepAlive: true,
    types: { getTypeParser: parserOf },
  }
}

/** Over a machine's own loopback nobody listens in; to any other host only who writes `disable` speaks in the clear. */
const isPlain = (hostname: string, mode: string | null) =>
  mode === 'disable' ||
  (mode === null && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname))

/** Integers are heights, times and counts, and fit a number; anything else is read as the driver reads it. */
const parserOf = ((oid: number, format: 'text') =>
  oid === int8 ? readInteger : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser

function readInteger(text: string): number {
  const value = Number(text)
  assert(Number.isSafeInteger(value), 'an integer of the journal fits a number')
  return value
}
