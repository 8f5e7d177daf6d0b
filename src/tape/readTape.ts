import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { constants, createGunzip, gunzipSync } from 'node:zlib'
import { z } from 'zod'
import { type BallastError, ballastError } from '../core/errors.ts'
import { tapeHeader, tapeLine, type WrittenEntry } from './tapeLine.ts'

/** The lines of a file, in the order they were written. */
export type TapeEntry = WrittenEntry | Torn

/** The end of a file that a process died in the middle of. */
type Torn = { readonly kind: 'torn'; readonly place: string }

/**
 * Reads tape files, gzipped or not; of a folder all of its files, in the order in which they were written. Several files
 * or folders are read as they were begun: a shell names them in an order of its own.
 *
 * A last line that was cut off is reported and left out. Any other unreadable line is refused with its place.
 */
export async function* readTape(paths: readonly string[]): AsyncGenerator<TapeEntry> {
  const named = paths.map(filesOf)
  const isAlone = named.flat().length === 1
  const begun: { readonly files: readonly string[]; readonly at: number }[] = []
  // A pipe can be read once.
  const isOne = named.length === 1
  for (const files of named) begun.push({ files, at: isOne ? 0 : await beginOf(files, isAlone) })
  for (const { files } of begun.sort((one, other) => one.at - other.at))
    for (const file of files) yield* readFile(file, isAlone)
}

/** The instant in the first header, in milliseconds since the epoch; 0 where no file has one. */
async function beginOf(files: readonly string[], isAlone: boolean): Promise<number> {
  for (const file of files)
    for await (const entry of readFile(file, isAlone))
      if (entry.kind === 'header') return entry.header.startedAt
  return 0
}

/**
 * In the order in which they were written: of a day the first, those that a clock that was set back made after it, and the
 * plain one, which is being written. That is not read where it was compressed: it is what a crash left behind.
 */
function filesOf(path: string): readonly string[] {
  if (!existsSync(path))
    throw ballastError('TAPE_MISSING', `There is no tape ${path}. Make one with 'ballast record'.`)
  if (!statSync(path).isDirectory()) return [path]
  const names = readdirSync(path).filter((name) => /^[^.].*\.jsonl(?:\.gz)?$/.test(name))
  const files = names
    .filter((name) => !isCompressed(path, { name, names }))
    .sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))
  if (files.length > 0) return files.map((name) => join(path, name))
  throw ballastError('TAPE_MISSING', `There are no tape files (*.jsonl, *.jsonl.gz) in ${path}.`)
}

/** Sorts as the files were written: the day, then the number of its file. */
function placeOf(name: string): string {
  const [, day = name, number = '1', packed] = /^(.*?)(?:\.(\d+))?\.jsonl(\.gz)?$/.exec(name) ?? []
  return `${day} ${packed === undefined ? '9' : '1'} ${number.padStart(6, '0')}`
}

/** Whether one of the compressed files of its day has the text of a plain one. */
function isCompressed(
  folder: string,
  { name, names }: { readonly name: string; readonly names: readonly string[] },
): boolean {
  if (name.endsWith('.gz')) return false
  const day = name.replace(/\.jsonl$/, '.')
  const packed = names.filter((other) => other.startsWith(day) && other.endsWith('.gz'))
  if (packed.length === 0) return false
  const text = readFileSync(join(folder, name))
  return packed.some((other) => {
    const packedText = readFileSync(join(folder, other))
    // One that was cut off ends where it ends.
    return gunzipSync(packedText, { finishFlush: constants.Z_SYNC_FLUSH }).equals(text)
  })
}

async function* readFile(path: string, isAlone: boolean): AsyncGenerator<TapeEntry> {
  let number = 0
  // Whether a line that does not read is the last one is known only at the next.
  let broken:
    | { readonly place: string; readonly reason: string; readonly ends: boolean }
    | undefined
  try {
    for await (const text of linesOf(path)) {
      if (broken !== undefined) throw damaged(broken.place, broken.reason)
      number += 1
      const entry = entryOf(text, { first: number === 1 })
      if (typeof entry !== 'string') yield entry
      else broken = { place: `${path}:${number}`, reason: entry, ends: text.endsWith('\n') }
    }
  } catch (error) {
    if (!isCutOff(error)) throw error
    yield { kind: 'torn', place: `${path}:${number + 1}` }
    return
  }
  if (broken === undefined) return
  // Half of a first line is a day at whose header the recorder died; alone it is any file.
  if (number <= 1 && (isAlone || broken.ends)) throw damaged(broken.place, broken.reason)
  yield { kind: 'torn', place: broken.place }
}

function linesOf(path: string): AsyncIterable<string> {
  const file = createReadStream(path)
  // The reader of the lines gets the error, and may leave before the end: the file is then closed as well.
  return byLine(path.endsWith('.gz') ? pipeline(file, createGunzip(), () => {}) : file)
}

/**
 * Each line with its end, which the last one lacks where it was cut off. readline swallows the errors of its input, and
 * leaves it open; a stream of its own passes them on.
 */
async function* byLine(input: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of input) {
    const pieces = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = pieces.pop() ?? ''
    for (const piece of pieces) yield `${piece}\n`
  }
  if (rest !== '') yield rest
}

/** zlib's word for a file that ends too early. */
const isCutOff = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR'

/** The entry, or why there is none. */
function entryOf(text: string, { first }: { readonly first: boolean }): TapeEntry | string {
  let raw: unknown
  try {
    raw = JSON.parse(text)
  } catch {
    return 'is not JSON'
  }
  const isHeader = typeof raw === 'object' && raw !== null && 'format' in raw
  if (first && !isHeader) return 'is not the header of a tape'
  if (isHeader) {
    const header = tapeHeader.safeParse(raw)
    return header.success
      ? { kind: 'header', header: header.data }
      : `is a header that does not read: ${z.prettifyError(header.error).replaceAll('\n', ' ')}`
  }
  const line = tapeLine.safeParse(raw)
  return line.success
    ? { kind: 'line', line: line.data }
    : `does not read: ${z.prettifyError(line.error).replaceAll('\n', ' ')}`
}

function damaged(place: string, reason: string): BallastError {
  return ballastError('TAPE_DAMAGED', `${place} ${reason}.`)
}
