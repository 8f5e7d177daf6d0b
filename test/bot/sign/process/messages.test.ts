import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { answer, readLine } from '../../../../src/bot/sign/process/messages.ts'

const lineBytesMax = 256 * 1024

/** Reads the line of a connection on which these pieces come, one after the other. */
function read(pieces: readonly string[]) {
  const stream = new PassThrough()
  const line = readLine(stream as unknown as Socket)
  for (const piece of pieces) stream.emit('data', Buffer.from(piece))
  return { stream, line }
}

test.for([
  ['whole', ['one\n'], 'one'],
  ['empty', ['\n'], ''],
  ['in pieces', ['o', 'ne', '\n'], 'one'],
  ['with another behind it', ['one\ntwo\n'], 'one'],
  ['of the most bytes', ['x'.repeat(lineBytesMax - 1), 'x\n'], 'x'.repeat(lineBytesMax)],
] as const)('a line is read: %s', async ([, pieces, expected]) =>
  expect(await read(pieces).line).toBe(expected),
)

test('a line of one byte more ends the connection', async () => {
  const { stream, line } = read(['x'.repeat(lineBytesMax), 'x', '\n'])
  await expect(line).rejects.toThrow('the line is longer than 262144 bytes')
  expect(stream.destroyed).toBe(true)
})

test('a connection that ends, or fails, gives no line', async () => {
  const ended = read(['on'])
  ended.stream.destroy()
  await expect(ended.line).rejects.toThrow('without an answer')
  const failed = read(['on'])
  failed.stream.destroy(new Error('reset'))
  await expect(failed.line).rejects.toThrow('reset')
})

test.for([
  [64, 1_000, true],
  [65, 1_000, false],
  [64, 1_001, false],
] as const)('a refusal of %i and %i characters is read: %s', ([code, reason, ok]) => {
  const refused = { code: 'x'.repeat(code), reason: 'x'.repeat(reason) }
  expect(answer.safeParse({ refused }).success).toBe(ok)
})
