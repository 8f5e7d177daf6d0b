import { parseJson } from '../../../core/json.ts'

/**
 * Reads the body of a firm quote without losing a digit of an order's id, and writes what the second generation
 * says differently in the words of the first: no fallbacks as null, a signature that is empty or lacks its 0x,
 * a list of sources, a value in hex.
 */
export function firmBody(text: string): unknown {
  const body = parseJson(text)
  if (!isRecord(body)) return body
  const { fallbackSwapDataArray, widgetFeeSignature, source, txRequest } = body
  return {
    ...body,
    fallbackSwapDataArray: fallbackSwapDataArray === null ? [] : fallbackSwapDataArray,
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
