import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { KyselyPlugin } from 'kysely'
import { words } from './words.ts'

const dictionary = Buffer.from(words)

/** The first byte of what was packed by `words`, and that of a hash. What begins with another is read as it is. */
const byWords = 1
const hash = 2

const empty = new Uint8Array()

/** Most texts are short: zlib's usual room for one takes as long to make as the unpacking. */
const roomOf = (bytes: Uint8Array) => (bytes.length < 1_024 ? { chunkSize: 4_096 } : {})

/** Far above the longest text of a journal: what would unpack to more was made to fill the memory. */
const bytesMax = 64 * 2 ** 20

/** A long text as it is stored: a swap of 64 kB takes a tenth of it. What hashes cover is the text, never these bytes. */
export function packed(text: string): Uint8Array {
  if (/^[0-9a-f]{64}$/.test(text)) return Buffer.concat([Buffer.of(hash), Buffer.from(text, 'hex')])
  if (text === '') return empty
  // A level higher takes twice as long for one byte in a hundred.
  const small = deflateRawSync(text, { level: 6, dictionary })
  const plain = Buffer.from(text)
  const isMarked = plain[0] === byWords || plain[0] === hash
  return isMarked || small.length < plain.length
    ? Buffer.concat([Buffer.of(byWords), small])
    : plain
}

/** The inverse of {@link packed}. Damaged bytes are read as a text that is no JSON and has no entry's hash. */
export function unpacked(bytes: Uint8Array): string {
  if (bytes[0] === hash) return Buffer.from(bytes.subarray(1)).toString('hex')
  if (bytes[0] !== byWords) return Buffer.from(bytes).toString()
  try {
    const options = { dictionary, ...roomOf(bytes), maxOutputLength: bytesMax }
    return inflateRawSync(bytes.subarray(1), options).toString()
  } catch {
    return '(damaged)'
  }
}

/** Every row a query answers with has its texts unpacked. The journal stores no other bytes; older rows are text. */
export const unpacking: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  async transformResult({ result }) {
    for (const row of result.rows)
      for (const [column, value] of Object.entries(row))
        if (value instanceof Uint8Array) row[column] = unpacked(value)
    return result
  },
}
