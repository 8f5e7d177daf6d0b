import { isRecord } from './isRecord.ts'

/** Reads the body of an order book; the second generation does not agree with itself on the letter case of sides. */
export function bookBody(text: string): unknown {
  const body: unknown = JSON.parse(text)
  if (!Array.isArray(body)) return body
  return body.map((row: unknown) =>
    isRecord(row) && typeof row.side === 'string' ? { ...row, side: row.side.toLowerCase() } : row,
  )
}
