import type { Writable } from 'node:stream'
import { displayJson, displayLines } from '../core/display.ts'
import { compactJson, printJson } from '../core/json.ts'
import { withoutSecrets } from '../core/secret.ts'
import { columnsMin, wrapLines } from '../core/textLayout.ts'
import { paint } from './paint.ts'
import { prettyLog } from './prettyLog.ts'

/** The two streams of a process, as commands see them. Values of loaded secrets never get through, nor a character that steers the terminal. */
export type Terminal = {
  /** The width of a line of {@link Terminal.out}: that of the window, at least eighty; in a pipe `COLUMNS` or eighty. */
  readonly columns: number
  /** Lines on stdout, none wider than that: the requested output. */
  out(text: string): void
  /** An event on stdout. On a line of its own in a pipe, where a supervisor reads it by lines. */
  event(text: string): void
  /** One JSON document on stdout. Amounts are text, bigints are text. */
  json(value: unknown): void
  /** One JSON document on one line of stdout, for a program that reads on. */
  jsonLine(value: unknown): void
  /**
   * A piece of a document on stdout, to the byte: its writer has taken out what steers a terminal. Waits for the reader;
   * false when there is none any more.
   */
  data(text: string): Promise<boolean>
  /** An event on stderr: progress, warnings. */
  note(text: string): void
  /** A line of the log on stderr: JSON, and on a terminal a line for a person. */
  log(line: string): void
  /** Puts the text in the place of the last one, on stdout; false where it is no terminal, which has no place. */
  redraw(text: string): boolean
  /** Puts a sentence of progress in the place of the last one, on stderr; false where it is no terminal. */
  progress(text: string): boolean
}

type Stream = Writable & {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
}

/** The events that wait for a reader who does not read, in bytes; the rest is dropped, and counted. */
const waitingMax = 1024 * 1024

/** To the first column, and nothing right of it; from there on nothing below either. */
const [clearLine, clearBelow] = ['\r\u001b[2K', '\u001b[J']

export function createTerminal({
  stdout,
  stderr,
  columns: named,
}: {
  stdout: Stream
  stderr: Stream
  /** The width where the stream is no terminal. */
  columns?: number | undefined
}): Terminal {
  const screen = { drawn: 0, hasProgress: false }
  const dropped = new Map<Stream, number>()
  const widthOf = (stream: Stream) => Math.max(columnsMin, stream.columns ?? named ?? columnsMin)
  const fitted = (stream: Stream, text: string) =>
    paint(wrapLines(displayLines(withoutSecrets(text)), widthOf(stream)), stream)
  const event = (stream: Stream, text: string) =>
    stream.isTTY ? fitted(stream, text) : paint(displayLines(withoutSecrets(text)), stream)
  /** A line of progress gives way to whatever comes, on either stream: both are one screen. */
  const put = (stream: Stream, text: string) => {
    if (screen.hasProgress) stderr.write(clearLine)
    screen.hasProgress = false
    write(stream, text)
  }
  const putOrDrop = (stream: Stream, text: string) => {
    const before = dropped.get(stream) ?? 0
    if (stream.writableLength > waitingMax) {
      dropped.set(stream, before + 1)
      return
    }
    if (before > 0) put(stream, `${before} messages were dropped: nobody read them.`)
    dropped.delete(stream)
    put(stream, text)
  }
  return {
    get columns() {
      return widthOf(stdout)
    },
    out: (text) => put(stdout, fitted(stdout, text)),
    event: (text) => putOrDrop(stdout, event(stdout, text)),
    json: (value) => put(stdout, displayJson(printJson(value))),
    jsonLine: (value) => put(stdout, displayJson(compactJson(value))),
    data: (text) => flow(stdout, text),
    note: (text) => putOrDrop(stderr, event(stderr, text)),
    log: (line) =>
      putOrDrop(stderr, stderr.isTTY ? fitted(stderr, prettyLog(line)) : displayJson(line)),
    redraw(text) {
      if (!stdout.isTTY) return false
      // What does not fit onto the screen scrolled away, and cannot be written over.
      const lines = fitted(stdout, text)
        .split('\n')
        .slice(0, (stdout.rows ?? 24) - 1)
      const up = screen.drawn === 0 ? '' : `\u001b[${screen.drawn}A`
      stdout.write(`${up}\r${clearBelow}${lines.join('\n')}\n`)
      screen.drawn = lines.length
      return true
    },
    progress(text) {
      if (!stderr.isTTY) return false
      const [line = ''] = wrapLines(displayLines(withoutSecrets(text)), widthOf(stderr) - 1).split(
        '\n',
      )
      stderr.write(`${clearLine}${line}`)
      screen.hasProgress = true
      return true
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
