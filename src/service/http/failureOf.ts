import type { Failure } from '../../api/failure.ts'
import type { QuoteRefused } from '../errors.ts'

/** The body of a refusal, whatever the status it is sent with. */
export function failureOf({ number, status, summary }: QuoteRefused, requestId: string): Failure {
  return {
    success: false,
    code: number,
    message: summary,
    errorMessage: summary,
    statusCode: status,
    requestId,
  }
}
