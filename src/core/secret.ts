import { inspect } from 'node:util'

/** A value that cannot print itself: every accidental way out says `[secret]`. */
export type Secret = { reveal(): string }

const revealed = new Set<string>()
const mask = '[secret]'

/** Wraps a secret and remembers its value, so that {@link withoutSecrets} removes it from whatever leaves the process. */
export function secret(value: string): Secret {
  if (value.length >= 8) hide(value)
  if (value.startsWith('0x') && value.length > 10) hide(value.slice(2))
  return unprintable(value)
}

/**
 * Wraps the address of a service, which may carry a key in its user, password, path or query.
 * One that is only scheme and host cannot print itself either, but is no secret and stays readable in messages.
 */
export function secretUrl(url: string): Secret {
  const { username, password, pathname, search } = new URL(url)
  const parts = [decodeURIComponent(username), decodeURIComponent(password), pathname, search]
  if (parts.some((part) => part.length > 1)) hide(url)
  for (const part of parts) if (part.length >= 8) hide(part)
  return unprintable(url)
}

function hide(value: string): void {
  revealed.add(value)
  // The same value as it stands inside a JSON text.
  revealed.add(JSON.stringify(value).slice(1, -1))
}

function unprintable(value: string): Secret {
  return Object.freeze({
    reveal: () => value,
    toString: () => mask,
    toJSON: () => mask,
    [inspect.custom]: () => mask,
  })
}

/** Replaces the value of every loaded secret. The last gate before the terminal, a log, a file or a socket. */
export function withoutSecrets(text: string): string {
  let clean = text
  for (const value of revealed) if (clean.includes(value)) clean = clean.replaceAll(value, mask)
  return clean
}

/** An address of a service without what may be a key: user, password, path and query are cut. */
export function withoutCredentials(url: string): string {
  try {
    const { protocol, host } = new URL(url)
    return `${protocol}//${host}`
  } catch {
    return mask
  }
}
