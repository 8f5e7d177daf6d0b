import type { Socket } from 'node:net'
import { z } from 'zod'
import { address, bytes } from '../../../chain/calls/fields.ts'

/** A name or version is what is signed; none is near this long. */
const nameMax = 128

/** A word of the chain, in decimal digits. */
const word = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,77})$/)
  .transform(BigInt)
  .refine((value) => value < 2n ** 256n)

/**
 * The messages between bot and signer process: one line of JSON each way, one exchange a connection. The bot is not
 * believed either, so both sides read with these.
 */
export const request = z.discriminatedUnion('ask', [
  z.strictObject({ ask: z.literal('address') }),
  /** The unsigned EIP-1559 transaction as the chain encodes it; the signer reads these bytes and nothing else. */
  z.strictObject({ ask: z.literal('sign'), unsigned: bytes }),
  /** The terms of a permit; the signer makes of them what is signed. */
  z.strictObject({
    ask: z.literal('permit'),
    permit: z.strictObject({
      name: z.string().max(nameMax),
      version: z.string().max(nameMax),
      chainId: z.int(),
      token: address,
      owner: address,
      spender: address,
      wei: word,
      nonce: word,
      deadline: z.int().min(0),
    }),
  }),
])
export type Request = z.input<typeof request>

export const answer = z.union([
  z.strictObject({ address }),
  z.strictObject({ signed: bytes }),
  z.strictObject({
    refused: z.strictObject({ code: z.string().max(64), reason: z.string().max(1_000) }),
  }),
])
export type SignerAnswer = z.infer<typeof answer>

/** Above any route's calldata (8 orders with their fallbacks are some 20 kB), below what would fill a memory. */
export const lineBytesMax = 256 * 1024

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
