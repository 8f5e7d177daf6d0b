import { createHash } from 'node:crypto'
import { printJson } from '../core/json.ts'
import type { Path } from '../core/problem.ts'
import { withoutCredentials } from '../core/secret.ts'

/** The effective text of a configuration: every key with its unit, defaults and variables included. */
export type Effective = {
  readonly strategies: readonly { readonly name: string }[]
  readonly [section: string]: unknown
}

/** One value at the end of its path; a list of plain words is one value. */
export type Leaf = { readonly path: Path; readonly value: unknown }

/** Every value of a configuration with its path, in the order they are written. */
export function leavesOf(value: unknown, path: Path = []): readonly Leaf[] {
  const isList = Array.isArray(value)
  const nested =
    typeof value === 'object' &&
    value !== null &&
    !(isList && value.every((item) => typeof item !== 'object'))
  if (!nested) return [{ path, value }]
  return Object.entries(value).flatMap(([key, part]) =>
    leavesOf(part, [...path, isList ? Number(key) : key]),
  )
}

/** An address anywhere in a text. A quote or a comma may be of its password, and ends none. The path of a database file is no address. */
const url = /(?!sqlite:)\b[a-z][a-z0-9+.-]*:\/\/[^\s<>]+/gi

/** A text that is one address or a list of them is one as a whole: there a password may have any sign. */
function withoutKeys(text: string): string {
  const list = text.trim().split(/,\s*(?=[a-z][a-z0-9+.-]*:\/\/)/i)
  const whole = [list, [text.trim()]].find((some) => some.every(isAddress))
  return whole?.map(withoutCredentials).join(',') ?? text.replace(url, withoutCredentials)
}

const isAddress = (text: string) =>
  /^(?!sqlite:)[a-z][a-z0-9+.-]*:\/\//i.test(text) && URL.canParse(text)

/** The same value with nothing of an address but its scheme and host, at any depth: the rest may be a key. */
export function redacted<value>(value: value): value {
  if (typeof value === 'string') return withoutKeys(value) as value
  if (Array.isArray(value)) return value.map(redacted) as value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, redacted(part)]),
  ) as value
}

/** SHA-256 of everything in a configuration, without the secrets of its addresses. */
export function configHash(text: Effective): string {
  return createHash('sha256')
    .update(printJson(inOrder(redacted(text))))
    .digest('hex')
}

/** The order of keys has no meaning; the order of a list has. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, inOrder(part)]),
  )
}
