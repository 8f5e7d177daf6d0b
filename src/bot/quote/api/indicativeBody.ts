import { isRecord } from './isRecord.ts'
import { unwrapped } from './unwrapped.ts'

/**
 * Reads the body of an indicative quote. The second generation wraps it in a list of one, and writes the amount sold as
 * a number.
 *
 * Plain `JSON.parse`: its numbers are for display and may be beyond 2^53, its money is text.
 */
export function indicativeBody(text: string): unknown {
  const body = unwrapped(JSON.parse(text))
  if (!isRecord(body) || typeof body.sellerTokenAmount !== 'number') return body
  return { ...body, sellerTokenAmount: String(body.sellerTokenAmount) }
}
