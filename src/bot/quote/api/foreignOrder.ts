import type { HttpAnswer } from '../../../chain/http.ts'
import { display } from '../../../core/display.ts'
import { BallastError } from '../../../core/errors.ts'
import { isRecord } from './isRecord.ts'
import { requestIdOf } from './requestIdOf.ts'

/** Fields of the second generation's orders that no order of the first has. */
const foreignFields = ['pool', 'nonce', 'multiHop', 'externalSwapCalldata'] as const

/**
 * A firm quote whose orders are those of another router. It may be a good one, but this version cannot check what its
 * calldata does, and what cannot be checked is not signed. Undefined: its orders are not of that kind.
 */
export function foreignOrder({
  endpoint,
  answer,
  body,
}: {
  endpoint: string
  answer: HttpAnswer
  body: unknown
}): BallastError | undefined {
  if (!isRecord(body) || !Array.isArray(body.orders)) return undefined
  const order = body.orders.find(isRecord)
  const fields = foreignFields.filter((name) => order !== undefined && name in order)
  if (fields.length === 0) return undefined
  return new BallastError(
    'The quoting service settles through another router, whose orders this version cannot verify.',
    {
      code: 'QUOTE_FOREIGN_ORDER',
      remedy: 'halt',
      fault: 'refused',
      facts: {
        endpoint,
        fields: fields.join(', '),
        routerVersion: textOf(body.router_version),
        requestId: requestIdOf({ headers: answer.headers, body }),
      },
    },
  )
}

const textOf = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? display(String(value), 32) : undefined
