import type { Writable } from 'node:stream'
import { displayJson, displayLines } from '../core/display.ts'
import { printJson } from '../core/json.ts'
import { withoutSecrets } from '../core/secret.ts'

/** The two streams of a process, as commands see them. Values of loaded secrets never get through, nor a character that steers the terminal. */
export type Terminal = {
  /** A line or more on stdout: the requested output. */
  out(text: string): void
  /** One JSON document on stdout. Amounts are text, bigints are text. */
  json(value: unknown): void
  /**
   * A piece of a document on stdout, to the byte: its writer has taken out what steers a terminal. Waits for the reader;
   * false when there is none any more.
   */
  data(text: string): Promise<boolean>
  /** A line or more on stderr: progress, warnings, logs. */
  note(text: string): void
}

/** The output that waits for a reader of stderr who does not read, in bytes; the rest is dropped, and counted. */
const waitingMax = 1024 * 1024

export function createTerminal({
  stdout,
  stderr,
}: {
  stdout: Writable
  stderr: Writable
}): Terminal {
  let dropped = 0
  return {
    out: (text) => write(stdout, displayLines(text)),
    json: (value) => write(stdout, displayJson(printJson(value))),
    data: (text) => flow(stdout, text),
    note(text) {
      if (stderr.writableLength > waitingMax) {
        dropped += 1
        return
      }
      if (dropped > 0) write(stderr, `${dropped} messages were dropped: nobody read them.`)
      dropped = 0
      write(stderr, displayLines(text))
    },
  }
}

/** A long document is written as fast as it is read, and not kept whole in between. */
async function flow(stream: Writable, text: string): Promise<boolean> {
  if (!stream.writable) return false
  await new Promise<void>((resolve) => {
    // An error is a reader that went away; the next piece notices it.
    stream.write(withoutSecrets(text), () => resolve())
  })
  return stream.writable
}

function write(stream: Writable, text: string): void {
  // A reader that went away (`| head`) is no failure of ours.
  if (!stream.writable) return
  stream.write(withoutSecrets(text.endsWith('\n') ? text : `${text}\n`))
}
