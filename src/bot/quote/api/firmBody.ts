import { parseJson } from '../../../core/json.ts'
import { isRecord } from './isRecord.ts'
import { unwrapped } from './unwrapped.ts'

const zeroAddress = '0x0000000000000000000000000000000000000000'

/** No fee, in the words of the first generation. The calldata says whether that is true. */
const noFee = { signer: zeroAddress, feeRecipient: zeroAddress, feeRate: 0 }

/**
 * Reads the body of a firm quote without losing a digit of an order's id, and writes what the second generation
 * says differently in the words of the first: a list of one, no fallbacks and no fee as null, a signature that is empty
 * or lacks its 0x, a list of sources, a value in hex.
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
