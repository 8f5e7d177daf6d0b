/**
 * Reads the body of an indicative quote. The second generation wraps it in a list of one.
 *
 * Plain `JSON.parse`: its numbers are for display and may be beyond 2^53, its money is text.
 */
export function indicativeBody(text: string): unknown {
  const body: unknown = JSON.parse(text)
  return Array.isArray(body) && body.length === 1 ? body[0] : body
}
