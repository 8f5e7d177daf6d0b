import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { display } from '../../../core/display.ts'
import { type BallastError, ballastError } from '../../../core/errors.ts'
import { type CountedSignature, countedSignature } from './dayLimits.ts'

/** The file of counted signatures, one a line. */
export type CountFile = {
  /** Returns when it is on disk. */
  append(added: CountedSignature): void
  /** Puts these in the place of all lines, at once. Where that cannot be, the file stays as it is, and in use. */
  rewrite(entries: readonly CountedSignature[]): void
  close(): void
}

/** Opens the file and reads its lines, however many an older version has left. */
export function openCountFile(file: string): {
  readonly countFile: CountFile
  readonly entries: CountedSignature[]
} {
  let descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND, 0o600)
  const entries = readOrClose(descriptor, file)
  const countFile: CountFile = {
    append(added) {
      assertInPlace(descriptor, file)
      const line = Buffer.from(lineOf(added))
      // After a write that was torn nothing may follow it: what the file holds then is read again at the next start.
      if (writeSync(descriptor, line) !== line.length)
        throw new Error('the signature was not counted whole')
      fsyncSync(descriptor)
    },
    rewrite(kept) {
      assertInPlace(descriptor, file)
      // Behind a link: the link stays.
      const real = realpathSync(file)
      const fresh = writeBeside(real, kept)
      if (fresh === undefined) return
      closeSync(descriptor)
      descriptor = fresh
      syncDirectory(dirname(real))
    },
    close: () => closeSync(descriptor),
  }
  return { countFile, entries }
}

const lineOf = (entry: CountedSignature): string => `${JSON.stringify(entry)}\n`

/**
 * Takes the file's place when all of it is on disk, and stays open for more. Undefined where it could not: a full disk, or a
 * file that is a mount of its own. Signatures are counted all the same.
 */
function writeBeside(file: string, entries: readonly CountedSignature[]): number | undefined {
  const fresh = `${file}.new`
  let descriptor: number | undefined
  try {
    rmSync(fresh, { force: true })
    const { O_RDWR, O_CREAT, O_APPEND, O_EXCL } = constants
    descriptor = openSync(fresh, O_RDWR | O_CREAT | O_APPEND | O_EXCL, 0o600)
    writeFileSync(descriptor, entries.map(lineOf).join(''))
    fsyncSync(descriptor)
    renameSync(fresh, file)
    return descriptor
  } catch {
    if (descriptor === undefined) return undefined
    closeSync(descriptor)
    rmSync(fresh, { force: true })
    return undefined
  }
}

/** Another file under this name would be the count of the next start. */
function assertInPlace(descriptor: number, file: string): void {
  const [ours, named] = [fstatSync(descriptor), statSync(file)]
  if (ours.dev !== named.dev || ours.ino !== named.ino)
    throw new Error('the file was replaced while it was in use')
}

function readOrClose(descriptor: number, file: string): CountedSignature[] {
  try {
    const entries = read(descriptor, file)
    syncDirectory(dirname(realpathSync(file)))
    return entries
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

function read(descriptor: number, file: string): CountedSignature[] {
  if ((fstatSync(descriptor).mode & 0o077) !== 0)
    throw broken('The file of counted signatures is open to other users: run chmod 600 on it.', {
      file,
    })
  const entries: CountedSignature[] = []
  let whole = 0
  for (const line of wholeLines(descriptor)) {
    entries.push(readLine(line, { file, line: entries.length + 1 }))
    whole += line.length + 1
  }
  // A line without its end was never synced to its end either, so its signature was never given.
  if (whole < fstatSync(descriptor).size) {
    ftruncateSync(descriptor, whole)
    fsyncSync(descriptor)
  }
  return entries
}

const chunkBytes = 1 << 20
const lineEnd = 0x0a

/** The lines that have their end, each without it. As one text, a file of years would be longer than any string. */
function* wholeLines(descriptor: number): Generator<Buffer> {
  let rest = Buffer.alloc(0)
  for (let position = 0; ; ) {
    const chunk = Buffer.alloc(chunkBytes)
    const length = readSync(descriptor, chunk, 0, chunkBytes, position)
    if (length === 0) return
    position += length
    rest = Buffer.concat([rest, chunk.subarray(0, length)])
    let from = 0
    for (let end = rest.indexOf(lineEnd); end >= 0; end = rest.indexOf(lineEnd, from)) {
      yield rest.subarray(from, end)
      from = end + 1
    }
    rest = rest.subarray(from)
  }
}

function readLine(
  line: Buffer,
  place: { readonly file: string; readonly line: number },
): CountedSignature {
  try {
    return countedSignature.parse(JSON.parse(line.toString()))
  } catch {
    throw broken(
      'The file of counted signatures is damaged: nothing is signed until you have looked at it.',
      place,
    )
  }
}

function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

function broken(summary: string, facts: Readonly<Record<string, string | number>>): BallastError {
  return ballastError('SIGNER_COUNT_BROKEN', summary, facts)
}

/** The file may hold half a line from then on, which the next start reads and takes away. */
export function uncounted(file: string, cause?: unknown): BallastError {
  const why = cause instanceof Error ? ` (${display(cause.message)})` : ''
  return broken(
    `A signature could not be counted${why}: nothing more is signed until the signer is started again.`,
    { file },
  )
}
