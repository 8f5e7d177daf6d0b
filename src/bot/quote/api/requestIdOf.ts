import { display } from '../../../core/display.ts'

/** The service's own name for an exchange: what its operator will ask for. */
export function requestIdOf({
  headers,
  body,
}: {
  headers: Readonly<Record<string, string>>
  body: unknown
}): string | undefined {
  const inBody =
    typeof body === 'object' && body !== null && 'requestId' in body ? body.requestId : undefined
  const id = headers['x-request-id'] ?? headers['x-native-request-id'] ?? inBody
  return typeof id === 'string' && id !== '' ? display(id, 64) : undefined
}
