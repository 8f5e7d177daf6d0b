import type { Readable } from 'node:stream'
import { usageError } from '../core/errors.ts'

/** The input piped into a command: the way in for secrets, which arguments would show to every process. */
export type StandardInput = {
  /** All of it; refuses a terminal, since nothing here ever prompts. `what` names it in that refusal. */
  text(what: string): Promise<string>
}

/** A key and a password are short. */
const maxBytes = 64 * 1024

export function createStandardInput(stream: Readable & { isTTY?: boolean }): StandardInput {
  return {
    async text(what) {
      if (stream.isTTY === true)
        throw usageError(
          `${what} is read from standard input: pipe it in, such as from a file with <.`,
        )
      const chunks: Buffer[] = []
      let size = 0
      for await (const chunk of stream) {
        const bytes = Buffer.from(chunk)
        size += bytes.length
        if (size > maxBytes) throw usageError(`Standard input holds more than ${maxBytes} bytes.`)
        chunks.push(bytes)
      }
      return Buffer.concat(chunks).toString('utf8')
    },
  }
}
