import type { request as plainRequest } from 'node:http'

export type Sent = {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a request of `node:http` or `node:https`: its answer, or the error that the connection ended with. */
export function sendRequest(
  request: typeof plainRequest,
  { method = 'GET', path = '/api/health', headers = {}, ...to }: Sent & Record<string, unknown>,
) {
  return new Promise<{ status?: number | undefined; body?: string; failed?: string }>((resolve) => {
    const sent = request({ method, path, headers, agent: false, ...to }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () =>
        resolve({ status: answer.statusCode, body: Buffer.concat(chunks).toString() }),
      )
    })
    sent.on('error', ({ code, message }: NodeJS.ErrnoException) =>
      resolve({ failed: code ?? message }),
    )
    sent.end()
  })
}
