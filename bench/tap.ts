import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'

/** What passed a tap, at the side of the caller. */
export type Passed = { readonly at: number; readonly way: 'there' | 'back'; readonly text: string }

/**
 * Stands between a caller and a server and passes bytes on as they come, `delayMs` later in each direction. It tells of
 * each chunk when the caller has sent it, or is about to get it.
 */
export async function startTap(
  upstream: string,
  { delayMs = () => 0, onPass }: { delayMs?: () => number; onPass: (passed: Passed) => void },
) {
  const { hostname, port } = new URL(upstream)
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (caller) => {
    const behind = connect({ host: hostname, port: Number(port), noDelay: true })
    for (const socket of [caller, behind]) {
      sockets.add(socket)
      socket.once('close', () => {
        sockets.delete(socket)
        caller.destroy()
        behind.destroy()
      })
      socket.on('error', () => socket.destroy())
    }
    const later = (work: () => void) => {
      const wait = delayMs()
      if (wait === 0) work()
      else setTimeout(work, wait)
    }
    caller.on('data', (chunk) => {
      onPass({ at: performance.now(), way: 'there', text: chunk.toString('latin1') })
      later(() => behind.write(chunk))
    })
    behind.on('data', (chunk) =>
      later(() => {
        caller.write(chunk)
        onPass({ at: performance.now(), way: 'back', text: chunk.toString('latin1') })
      }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
