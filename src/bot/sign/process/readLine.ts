import type { Socket } from 'node:net'
import { lineBytesMax } from './messages.ts'

/** The first line of a connection; rejects when it ends without one, or sends more than a line may hold. */
export function readLine(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    socket.on('data', (chunk) => {
      const end = chunk.indexOf('\n')
      const part = end === -1 ? chunk : chunk.subarray(0, end)
      size += part.length
      if (size > lineBytesMax) {
        reject(new Error(`the line is longer than ${lineBytesMax} bytes`))
        socket.destroy()
        return
      }
      chunks.push(part)
      if (end !== -1) resolve(Buffer.concat(chunks).toString('utf8'))
    })
    socket.on('error', reject)
    socket.once('close', () => reject(new Error('the connection ended without an answer')))
  })
}
