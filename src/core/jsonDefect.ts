/** Why a text must not be read as JSON although `JSON.parse` reads it, and where: `orders[].id`. */
export type JsonDefect = { readonly path: string; readonly reason: string }

/** Our deepest body has five levels. V8 reads millions of them, and whatever walks the result then runs out of stack. */
const depthMax = 64

/**
 * Finds what `JSON.parse` would hide: a key that is there twice, of which it keeps the last; `__proto__` as a key;
 * nesting without end. Undefined: nothing of the kind.
 *
 * Only for texts that go to `JSON.parse` as well: it follows strings and brackets and leaves all other grammar to it.
 * One pass, since a body may have 32 MB. Two spellings of a key (`"a"`, `"\u0061"`) are one key.
 */
export function jsonDefect(text: string): JsonDefect | undefined {
  // One container is open at each depth at a time, so each depth needs one set. An array's stays empty.
  const keysAt: Set<string>[] = [new Set()]
  const path: string[] = ['']
  let depth = 0
  let keys = keysAt[0] as Set<string>
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    // Most of a book is numbers, and all they are made of is below the brackets.
    if (code < openBracket && code !== quote) continue
    if (code === quote) {
      const end = endOfString(text, at)
      if (end === -1) return undefined
      if (isKey(text, end)) {
        const key = keyOf(text.slice(at + 1, end))
        if (key === undefined) return undefined
        path[depth] = key
        if (key === '__proto__')
          return { path: pathOf(path, depth), reason: 'is no name of a field' }
        if (keys.has(key)) return { path: pathOf(path, depth), reason: 'is there twice' }
        keys.add(key)
      }
      at = end
    } else if (code === openBrace || code === openBracket) {
      depth += 1
      if (depth > depthMax)
        return { path: pathOf(path, 2), reason: `is nested deeper than ${depthMax} levels` }
      keysAt[depth] ??= new Set()
      keys = keysAt[depth] as Set<string>
      keys.clear()
      path[depth] = code === openBracket ? '[]' : ''
    } else if (code === closeBrace || code === closeBracket) {
      depth -= 1
      if (depth < 0) return undefined
      keys = keysAt[depth] as Set<string>
    }
  }
  return undefined
}

const quote = 0x22
const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
const colon = 0x3a

/** Where the string that starts at `start` ends: the next quote with an even number of backslashes before it. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes += 1
    if (escapes % 2 === 0) return end
  }
  return -1
}

/** In JSON a string with a colon behind it is a key, and no other is. */
function isKey(text: string, end: number): boolean {
  let next = end + 1
  while (isSpace(text.charCodeAt(next))) next += 1
  return text.charCodeAt(next) === colon
}

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

/** Undefined for an escape that is none, which `JSON.parse` then refuses in the whole text. */
function keyOf(raw: string): string | undefined {
  if (!raw.includes('\\')) return raw
  try {
    return String(JSON.parse(`"${raw}"`))
  } catch {
    // The caller's own parse reports it, with the position.
    return undefined
  }
}

const pathOf = (path: readonly string[], depth: number): string =>
  path
    .slice(1, depth + 1)
    .join('.')
    .replaceAll('.[]', '[]')
