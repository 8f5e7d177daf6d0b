import { connect, createServer, type Socket } from 'node:net'

/** What happens to the next COMMIT: lost on its way, or kept while its answer is lost. */
type Cut = 'before' | 'after'

/** Stands between a journal and its server, and cuts the connection at a COMMIT when told to. */
export async function startCuttingProxy(server: string) {
  const target = new URL(server)
  let armed: { cut: Cut; away: boolean } | undefined
  let isAway = false
  const open = new Set<Socket>()
  const proxy = createServer((client) => {
    if (isAway) return void client.destroy()
    const upstream = connect(Number(target.port), target.hostname)
    const end = () => {
      client.destroy()
      upstream.destroy()
    }
    let silent = false
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('close', () => open.delete(socket))
      socket.on('error', end)
      socket.on('close', end)
    }
    client.on('data', (bytes) => {
      if (armed === undefined || !/^Q.{4}commit\0/s.test(bytes.toString('latin1')))
        return void upstream.write(bytes)
      const { cut, away } = armed
      armed = undefined
      isAway = away
      if (cut === 'before') return end()
      silent = true
      upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      // The server has answered, so it has committed: nobody hears of it.
      if (silent) end()
      else client.write(bytes)
    })
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address()
  if (address === null || typeof address === 'string') throw new Error('a port is a number')
  const url = new URL(server)
  url.port = String(address.port)
  return {
    url: url.href,
    /** Cuts at the next COMMIT; with `away` nothing answers any more afterwards. */
    cutNext(cut: Cut, away = false) {
      armed = { cut, away }
    },
    /** Cuts whatever is open, and nothing answers any more. */
    cutOff() {
      isAway = true
      for (const socket of open) socket.destroy()
    },
    back() {
      isAway = false
    },
    async close() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => proxy.close(resolve))
    },
  }
}
