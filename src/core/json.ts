/**
 * `JSON.parse` that never loses a digit: an integer beyond 2^53 arrives as a bigint instead of its neighbour.
 * Order ids of this API family exceed 2^53.
 */
export function parseJson(text: string): unknown {
  return JSON.parse(text, exactInteger)
}

/** JSON with amounts as decimal text, two spaces deep. What `--json` prints. */
export function printJson(value: unknown): string {
  return JSON.stringify(value, bigintAsText, 2)
}

/** {@link printJson} on one line. The journal stores this form. */
export function compactJson(value: unknown): string {
  return JSON.stringify(value, bigintAsText)
}

/**
 * {@link compactJson} with the keys of every object in alphabetical order and every text passed through `rewrite`:
 * one value has one text, so it can be hashed.
 */
export function canonicalJson(value: unknown, rewrite: (text: string) => string): string {
  const ordered = (part: unknown): unknown => {
    if (typeof part === 'bigint') return part.toString()
    if (typeof part === 'string') return rewrite(part)
    if (typeof part !== 'object' || part === null) return part
    if (Array.isArray(part)) return part.map(ordered)
    const copy: Record<string, unknown> = {}
    for (const name of Object.keys(part).sort())
      setOwn(copy, rewrite(name), ordered((part as Readonly<Record<string, unknown>>)[name]))
    return copy
  }
  return JSON.stringify(ordered(value))
}

/** An assignment, save to the one name whose assignment would change what the object is. */
function setOwn(copy: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(copy, name, { value, enumerable: true, configurable: true })
  else copy[name] = value
}

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}

function exactInteger(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const source = context?.source ?? ''
  return /^-?\d+$/.test(source) ? BigInt(source) : value
}

/** A JSON object, neither list nor null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
