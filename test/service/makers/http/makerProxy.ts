import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What passes, and what a test makes of it. */
export type Tamper = (exchange: {
  readonly path: string
  readonly body: string
  /** What the real maker behind it answers. */
  pass(body?: string): Promise<{ status: number; text: string }>
}) => Promise<{ status: number; text: string }>

const honest: Tamper = ({ pass }) => pass()

/** Stands in front of a real maker: its address is known before the maker is, and it lies when a test says so. */
export async function startMakerProxy() {
  let upstream = ''
  let tamper = honest
  const seen: string[] = []
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const body = Buffer.concat(chunks).toString()
      const path = request.url ?? ''
      seen.push(path.split('?')[0] ?? '')
      const pass = async (changed = body) => {
        const answer = await fetch(upstream + path, {
          method: request.method ?? 'GET',
          headers: { 'content-type': 'application/json' },
          ...(request.method === 'POST' ? { body: changed } : {}),
        })
        return { status: answer.status, text: await answer.text() }
      }
      const { status, text } = await tamper({ path, body, pass })
      response.writeHead(status, { 'content-type': 'application/json' }).end(text)
    })().catch(() => request.socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    to(url: string) {
      upstream = url
    },
    lie(how: Tamper) {
      tamper = how
    },
    beHonest() {
      tamper = honest
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
