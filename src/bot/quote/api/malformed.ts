import type { HttpAnswer } from '../../../chain/http.ts'
import { display } from '../../../core/display.ts'
import { BallastError } from '../../../core/errors.ts'
import { requestIdOf } from './requestIdOf.ts'

/** The service claims success and sends something else than the contract says. */
export function malformed({
  endpoint,
  answer,
  body,
  issues,
}: {
  endpoint: string
  answer: HttpAnswer
  body: unknown
  /** Of zod, or of the text itself. The first is named. */
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]
}): BallastError {
  const [issue] = issues
  return new BallastError('The quoting service sent an answer that breaks its own contract.', {
    code: 'QUOTE_MALFORMED',
    remedy: 'requote',
    fault: 'upstream',
    facts: {
      endpoint,
      status: answer.status,
      field: display(issue?.path.join('.') || 'the body', 96),
      reason: display(issue?.message ?? 'not readable'),
      requestId: requestIdOf({ headers: answer.headers, body }),
    },
  })
}
