import { inspect } from 'node:util'

/** A value that cannot print itself: every accidental way out prints `[secret]`. */
export type Secret = { reveal(): string }

/** Longest first: what is cut out first must not leave the rest of a longer one standing. */
let revealed: readonly string[] = []
const mask = '[secret]'
/** Anything shorter stands in ordinary text by accident. */
const shortest = 8

/** Wraps a secret and remembers its value, so that {@link withoutSecrets} removes it from whatever leaves the process. */
export function secret(value: string): Secret {
  if (value.length >= shortest) hide(value)
  if (value.startsWith('0x') && value.length > 10) hide(value.slice(2))
  return unprintable(value)
}

/**
 * Wraps the address of a service, which may carry a key in its user, password, path or query: whole, and each piece of
 * it by itself, because a service that refuses a key repeats the key and not the address.
 * One that is only scheme and host cannot print itself either, but is no secret and stays readable in messages.
 */
export function secretUrl(url: string): Secret {
  const { username, password, hostname, pathname, search, searchParams } = new URL(url)
  const parts = [username, password, pathname, search]
  if (parts.some((part) => part.length > 1)) hide(url)
  // As a header carries it, and a service repeats it.
  if (password.length >= shortest)
    hide(Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64'))
  for (const label of keysOfHost(hostname)) hide(label)
  const segments = pathname.split('/').filter((segment) => !isWord(decoded(segment)))
  // As written, and as the service reads it. A query's plus is a blank to one reader and a plus to the other.
  const values = search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1))
  const pieces = [...parts, ...segments, ...values]
  for (const piece of [...pieces, ...pieces.map(decoded), ...searchParams.values()])
    if (piece.length >= shortest) hide(piece)
  return unprintable(url)
}

/** Whether an address holds a key: a password, or over http also a user, a query, or a long piece of the path. */
export function carriesKey(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, hostname, pathname, search } = new URL(text)
  const isLong = (segment: string) => segment.length >= 16 && !isWord(segment)
  const isHttp = protocol === 'https:' || protocol === 'http:'
  return (
    password !== '' ||
    keysOfHost(hostname).length > 0 ||
    (isHttp && (username !== '' || search !== '' || pathname.split('/').some(isLong)))
  )
}

/**
 * A piece of a path that names a network, a version or a chain id (`ethereum`, `eth-mainnet`, `11155111`) and is no key:
 * keys are drawn from letters and digits, in 16 characters or more. Cut from every text, such a word would take the
 * name of the chain with it, and a number would take amounts. In a query every value is cut: its words are the caller's.
 */
const isWord = (segment: string) => /^(?:[a-z-]{1,15}|\d{1,15})$/.test(segment)

/** Names below a provider's own that it draws for a customer: letters and digits in disorder. */
function keysOfHost(hostname: string): readonly string[] {
  const labels = hostname.split('.')
  if (labels.length < 3) return []
  return labels.filter((label) => /^[a-z0-9]{16,}$/i.test(label) && /\d[a-z]+\d/i.test(label))
}

/** A stray percent sign is no encoding: then the text is what it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The process holds no secret any more, so none is cut from what follows: between the files of a test run. */
export function forgetSecrets(): void {
  revealed = []
}

function hide(value: string): void {
  // Also as it stands inside a JSON text, and in an address.
  const inJson = JSON.stringify(value).slice(1, -1)
  // A service that repeats a key of hexadecimal digits may write them in its own case.
  const inOtherCase = /^[0-9a-f-]{8,}$/i.test(value)
    ? [value.toLowerCase(), value.toUpperCase()]
    : []
  const inUrl = encodeURIComponent(value.toWellFormed())
  const known = new Set([...revealed, value, inJson, inUrl, ...inOtherCase])
  revealed = [...known].sort((a, b) => b.length - a.length)
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

const notShown = '[not shown]'

/**
 * A sentence about what a person wrote, without what may be a key: it was refused before it was taken for one, so that
 * {@link withoutSecrets} does not know it. Accounts stay, and addresses of services of a host and plain words.
 */
export function withoutPossibleKeys(sentence: string): string {
  return sentence
    .replace(
      /\b([a-z][a-z0-9+-]{0,15}:\/\/)([^\s<>]*)/gi,
      (whole, scheme: string, rest: string) => {
        const [end = ''] = /['"\])}]*[:.,;]*$/.exec(rest.slice(-8)) ?? []
        const place = rest.slice(0, rest.length - end.length)
        return isPlainPlace.test(place) && keysOfHost(place.split(/[:/]/)[0] ?? '').length === 0
          ? whole
          : `${scheme}${notShown}${end}`
      },
    )
    .replace(/(?:0x)?[0-9a-f]{24,}/gi, (hex) => (isNoKey.test(hex) ? hex : notShown))
    .replace(/'([A-Z][A-Z0-9_]+=)[^']*'/g, `'$1${notShown}'`)
    .replace(/'(?:[a-z]{3,8}\s+){5,}[a-z]*'/g, `'${notShown}'`)
    .replace(/'[\w+/=.:-]{20,}'/g, (quoted) =>
      quoted.slice(1, -1).split(/[/.:]/).some(isDrawn) ? `'${notShown}'` : quoted,
    )
}

/** Whether a text is drawn by a machine, as keys are, and no name of words with a number. */
function isDrawn(text: string): boolean {
  if (text.length < 16 || isNoKey.test(text)) return false
  const digits = text.replace(/\D/g, '').length
  if (digits < 5 && /^[a-z0-9]{0,12}(?:[-_][a-z0-9]{0,12})+$/.test(text)) return false
  if (/^[A-Z2-7]{16,}=*$/.test(text)) return true
  const words = text.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? []
  const lettersOf = (some: readonly string[]) => some.join('').length
  const isOfWords = lettersOf(words.filter((word) => word.length > 2)) >= 0.7 * lettersOf(words)
  return !isOfWords || digits > 4
}

/** A host and plain words behind it, an example that is cut, or what is not shown already. */
const isPlainPlace =
  /^(?:(?:[a-z]+@)?(?:[a-z0-9.-]*|\[[0-9a-f:]+\])(?::\d+)?(?:\/(?:v\d{1,2}|[a-z-]{0,15}))*$|…|\[not)/i

/** An account or a slip of one, a number, or one byte again and again, as in an example. */
const isNoKey = /^(?:0x[0-9a-f]{36,44}|\d+|(?:0x)?(..)\1+)$/i

/** An address of a service without what may be a key: user, password, path and query are cut. */
export function withoutCredentials(url: string): string {
  try {
    const { protocol, host } = new URL(url)
    return `${protocol}//${host}`
  } catch {
    return mask
  }
}
