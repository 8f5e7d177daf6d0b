import { connect, createServer, type Socket } from 'node:net'

/** What PgBouncer takes at the start of a connection; it refuses whatever else a client states. */
const taken = [
  ...['user', 'database', 'application_name', 'client_encoding'],
  ...['datestyle', 'timezone', 'standard_conforming_strings'],
]

/** Stands between a journal and its server, and refuses connections as PgBouncer does. */
export async function startPooler(server: string) {
  const target = new URL(server)
  const refused: string[] = []
  const open = new Set<Socket>()
  const pooler = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        for (const one of [client, upstream]) one.destroy()
      })
    }
    client.once('data', (bytes) => {
      // Behind the length and the version: names and values, each ended by a zero.
      const words = bytes.subarray(8).toString('latin1').split('\0')
      const strange = words.filter(
        (word, index) => index % 2 === 0 && word !== '' && !taken.includes(word.toLowerCase()),
      )
      refused.push(...strange)
      if (strange.length > 0) return void client.end(refusal(strange))
      upstream.write(bytes)
      client.pipe(upstream)
      upstream.pipe(client)
    })
  })
  await new Promise<void>((resolve) => pooler.listen(0, '127.0.0.1', resolve))
  const address = pooler.address()
  if (address === null || typeof address === 'string') throw new Error('a port is a number')
  const url = new URL(server)
  url.port = String(address.port)
  return {
    url: url.href,
    /** The settings that it refused connections for. */
    refused: () => refused,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => pooler.close(resolve))
    },
  }
}

/** An ErrorResponse of the protocol. */
function refusal(strange: readonly string[]): Buffer {
  const fields = `SFATAL\0C08P01\0Munsupported startup parameter: ${strange[0]}\0\0`
  const message = Buffer.alloc(5 + fields.length)
  message.write('E', 0, 'latin1')
  message.writeInt32BE(4 + fields.length, 1)
  message.write(fields, 5, 'latin1')
  return message
}
