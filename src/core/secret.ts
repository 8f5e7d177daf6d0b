import { inspect } from 'node:util'

/** A value that cannot print itself: every accidental way out says `[secret]`. */
export type Secret = { reveal(): string }

const revealed = new Set<string>()
const mask = '[secret]'

/** Wraps a secret and remembers its value, so that {@link withoutSecrets} removes it from whatever leaves the process. */
export function secret(value: string): Secret {
  if (value.length >= 8) revealed.add(value)
  if (value.startsWith('0x') && value.length > 10) revealed.add(value.slice(2))
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
