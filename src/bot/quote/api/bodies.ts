import type { HttpAnswer } from '../../../chain/http.ts'
import { display } from '../../../core/display.ts'
import { type BallastError, ballastError } from '../../../core/errors.ts'
import { isRecord, parseJson } from '../../../core/json.ts'
import { zeroAddress } from '../../../core/token.ts'
import { requestIdOf } from './refusalOf.ts'

/** Reads the body of an order book; the second generation does not agree with itself on the letter case of sides. */
export function bookBody(text: string): unknown {
  const body: unknown = JSON.parse(text)
  if (!Array.isArray(body)) return body
  return body.map((row: unknown) =>
    isRecord(row) && typeof row.side === 'string' ? { ...row, side: row.side.toLowerCase() } : row,
  )
}

/**
 * Reads the body of an indicative quote, which the second generation wraps in a list of one.
 *
 * Plain `JSON.parse`: its numbers are for display and may be beyond 2^53, its money is text.
 */
export const indicativeBody = (text: string): unknown => unwrapped(JSON.parse(text))

/** No fee, in the first generation's form. The calldata shows whether that is true. */
const noFee = { signer: zeroAddress, feeRecipient: zeroAddress, feeRate: 0 }

/**
 * Reads the body of a firm quote without losing a digit of an order's id, and writes the second generation's variants
 * in the first one's form: a list of one, no fallbacks and no fee as null, a signature that is empty or lacks its 0x, a
 * list of sources, a value in hex.
 */
export function firmBody(text: string): unknown {
  const body = unwrapped(parseJson(text))
  if (!isRecord(body)) return body
  const { fallbackSwapDataArray, widgetFee, widgetFeeSignature, source, txRequest } = body
  return {
    ...body,
    fallbackSwapDataArray: fallbackSwapDataArray === null ? [] : fallbackSwapDataArray,
    widgetFee: widgetFee === null ? noFee : widgetFee,
    widgetFeeSignature: prefixed(widgetFeeSignature),
    source: Array.isArray(source) ? source.join(',') : source,
    txRequest:
      isRecord(txRequest) && isHexQuantity(txRequest.value)
        ? { ...txRequest, value: BigInt(txRequest.value).toString() }
        : txRequest,
  }
}

function prefixed(signature: unknown): unknown {
  if (typeof signature !== 'string' || signature.startsWith('0x')) return signature
  return /^(?:[0-9a-fA-F]{2})*$/.test(signature) ? `0x${signature}` : signature
}

function isHexQuantity(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value)
}

/** The second generation of this API puts its one answer into a list. A longer list is not an answer to one question. */
function unwrapped(body: unknown): unknown {
  return Array.isArray(body) && body.length === 1 ? body[0] : body
}

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
  return ballastError(
    'QUOTE_FOREIGN_ORDER',
    'The quoting service settles through another router, whose orders this version cannot verify.',
    {
      endpoint,
      fields: fields.join(', '),
      routerVersion: textOf(body.router_version),
      requestId: requestIdOf({ headers: answer.headers, body }),
    },
  )
}

const textOf = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? display(String(value), 32) : undefined
