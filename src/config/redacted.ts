import { withoutCredentials } from '../core/secret.ts'

/** An address anywhere in a text. The path of a database file is no address. */
const url = /(?!sqlite:)\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>,]+/gi

/** The same value with nothing of an address but its scheme and host, at any depth: the rest may be a key. */
export function redacted<value>(value: value): value {
  if (typeof value === 'string') return value.replace(url, withoutCredentials) as value
  if (Array.isArray(value)) return value.map(redacted) as value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, redacted(part)]),
  ) as value
}
