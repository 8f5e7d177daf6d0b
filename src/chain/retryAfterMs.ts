import type { HttpAnswer } from './http.ts'

/** The wait that an answer asks for by `Retry-After`, in milliseconds. Undefined for a past date and any other value. */
export function retryAfterMs({
  'retry-after': after = '',
  date = '',
}: HttpAnswer['headers']): number | undefined {
  const isSeconds = /^\d{1,12}(?:\.\d+)?$/.test(after)
  // A date is held to the answer's own, so that no clock of ours is in it.
  const wait = isSeconds ? Math.ceil(Number(after) * 1_000) : httpDate(after) - httpDate(date)
  return wait >= 0 ? wait : undefined
}

/** Not a number where it is no date in the form of HTTP. */
const httpDate = (text: string) => (/ GMT$/.test(text) ? Date.parse(text) : Number.NaN)
