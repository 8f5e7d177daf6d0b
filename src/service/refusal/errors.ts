import { BallastError, type Facts } from '../../core/errors.ts'
import type { Remedy } from '../../core/errorTable.ts'

type Kind = { readonly number: number; readonly status: number; readonly remedy: Remedy }

/** Numbers are those of this API family where it has one (reference: errors). The rest are ours. */
export const serviceRefusals = {
  UNREADABLE_PARAMETER: { number: 131003, status: 400, remedy: 'halt' },
  INVALID_PARAMETER: { number: 131004, status: 400, remedy: 'halt' },
  UNKNOWN_CHAIN: { number: 131005, status: 400, remedy: 'halt' },
  CROSS_CHAIN_UNSUPPORTED: { number: 131006, status: 422, remedy: 'halt' },
  NOT_FOUND: { number: 131007, status: 404, remedy: 'halt' },
  WRAP_UNSUPPORTED: { number: 131008, status: 422, remedy: 'halt' },
  REQUEST_TOO_LARGE: { number: 131009, status: 414, remedy: 'halt' },
  HEADERS_TOO_LARGE: { number: 131009, status: 431, remedy: 'halt' },
  BODY_REFUSED: { number: 131010, status: 400, remedy: 'halt' },
  REQUEST_TIMEOUT: { number: 131012, status: 408, remedy: 'retry' },
  EXPIRY_TOO_LONG: { number: 171018, status: 400, remedy: 'halt' },
  TOKEN_UNKNOWN: { number: 171015, status: 404, remedy: 'skip' },
  PAIR_UNKNOWN: { number: 171011, status: 404, remedy: 'skip' },
  NO_LIQUIDITY: { number: 171037, status: 422, remedy: 'skip' },
  EXCEEDS_DEPTH: { number: 101010, status: 422, remedy: 'skip' },
  BELOW_MINIMUM: { number: 101011, status: 422, remedy: 'skip' },
  BALANCE_TOO_LOW: { number: 101012, status: 422, remedy: 'skip' },
  BAD_API_KEY: { number: 201001, status: 401, remedy: 'halt' },
  RATE_LIMITED: { number: 201005, status: 429, remedy: 'retry' },
  STALE_STATE: { number: 171009, status: 503, remedy: 'retry' },
  BUSY: { number: 171010, status: 503, remedy: 'retry' },
  MAKER_REFUSED: { number: 301016, status: 503, remedy: 'retry' },
  INTERNAL: { number: 171008, status: 500, remedy: 'retry' },
} as const satisfies Record<string, Kind>

/** A refusal by the service. Becomes an HTTP status and the failure body of the API. */
export class QuoteRefused extends BallastError {
  readonly number: number
  readonly status: number
  /** When a new request may help; sent as `Retry-After`. */
  readonly retryAfterMs: number | undefined

  constructor(
    code: keyof typeof serviceRefusals,
    summary: string,
    { retryAfterMs, ...facts }: Facts & { readonly retryAfterMs?: number } = {},
  ) {
    const { number, status, remedy } = serviceRefusals[code]
    super(summary, { code, remedy, fault: status >= 500 ? 'upstream' : 'refused', facts })
    this.number = number
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}
