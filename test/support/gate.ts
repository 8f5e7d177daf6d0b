import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A port before a server: while it is shut, every connection is cut and none is taken. */
export async function openGate(port: number) {
  const open = new Set<Socket>()
  let isShut = false
  const server = createServer((near) => {
    if (isShut) {
      near.destroy()
      return
    }
    const far = connect(port, '127.0.0.1')
    for (const [one, other] of [[near, far] as const, [far, near] as const]) {
      open.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    shut() {
      isShut = true
      for (const one of open) one.destroy()
    },
    open() {
      isShut = false
    },
    async close() {
      for (const one of open) one.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
