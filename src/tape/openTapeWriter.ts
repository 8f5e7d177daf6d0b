import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { type FileLock, lockFile } from '../bot/journal/store/lockFile.ts'
import { ballastError } from '../core/errors.ts'
import type { ErrorCode } from '../core/errorTable.ts'
import { type TapeHeader, type TapeLine, textOf } from './tapeLine.ts'

type Place = {
  readonly dir: string
  /** Of all tape files in the folder together. */
  readonly bytesMax: number
  /** The head of each file without its time. */
  readonly header: Omit<TapeHeader, 'startedAt'>
  /** Receives a line for each mended and each finished file. */
  readonly note: (line: string) => void
}

const dayFile = /^tape-\d{4}-\d{2}-\d{2}\.jsonl$/

/**
 * Writes a tape into a folder: one file a UTC day, each line appended whole. A day that is over is compressed beside
 * itself and then takes its own place, so that a crash at any moment leaves one whole copy.
 *
 * One recorder at a time: another would compress and mend the files of this one under its lines.
 *
 * Refuses a line that would make the folder larger than it may be: a full disk would stop more than the recorder.
 */
export async function openTapeWriter({ dir, bytesMax, header, note }: Place) {
  using opened = new DisposableStack()
  opened.adopt(lockTape(dir), (lock) => lock.release())
  for (const name of await readdir(dir))
    if (name.endsWith('.part')) await rm(join(dir, name), { force: true })
  let size = await sizeOf(dir)
  let current: { readonly day: string; readonly file: FileHandle } | undefined

  async function write(text: string): Promise<void> {
    const bytes = Buffer.byteLength(text)
    if (size + bytes > bytesMax)
      throw ballastError(
        'TAPE_FULL',
        `The tape in ${dir} has reached ${bytesMax} bytes: move old days away, or record with a larger --max-size.`,
        { bytes: size, bytesMax },
      )
    await current?.file.appendFile(text)
    size += bytes
  }

  /** Cuts off what a crash left of the last line. */
  async function mendFile(name: string): Promise<void> {
    const cut = await mend(join(dir, name))
    if (cut > 0) note(`${name} ended in the middle of a line: ${cut} bytes were cut off.`)
    size -= cut
  }

  /** Compresses every day that is not this one. Mended first: a compressed file is never mended. */
  async function finishDays(day: string): Promise<void> {
    for (const name of (await readdir(dir)).filter((one) => dayFile.test(one)).sort()) {
      if (name === fileOf(day)) continue
      await mendFile(name)
      const { size: left } = await stat(join(dir, name))
      if (left > 0) await compress(dir, name)
      else await rm(join(dir, name))
      note(`${name} ${left > 0 ? 'is finished and compressed' : 'was empty and is removed'}.`)
    }
    size = await sizeOf(dir)
  }

  async function turnTo(day: string, at: number): Promise<void> {
    await current?.file.close()
    current = undefined
    await finishDays(day)
    await mendFile(fileOf(day))
    current = { day, file: await open(join(dir, fileOf(day)), 'a', 0o600) }
    await write(textOf({ kind: 'header', header: { ...header, startedAt: at } }))
  }

  const owned = opened.move()
  return {
    async append(line: TapeLine): Promise<void> {
      const day = new Date(line.tWall).toISOString().slice(0, 10)
      if (current?.day !== day) await turnTo(day, line.tWall)
      await write(textOf({ kind: 'line', line }))
    },
    /** Bytes of all tape files in the folder. */
    size: () => size,
    async close(): Promise<void> {
      using _ = owned
      await current?.file.sync()
      await current?.file.close()
      current = undefined
    },
  }
}

export type TapeWriter = Awaited<ReturnType<typeof openTapeWriter>>

function lockTape(dir: string): FileLock {
  const refusal = (code: ErrorCode, sentence: string) => (cause: unknown) =>
    ballastError(code, sentence, { dir }, cause)
  return lockFile(join(dir, 'tape'), {
    holds: '',
    locked: refusal(
      'TAPE_IN_USE',
      'Another recorder writes into this folder: choose another --dir.',
    ),
    unwritable: refusal('FILE_NOT_WRITTEN', 'The folder of the tape cannot be written.'),
  })
}

const fileOf = (day: string) => `tape-${day}.jsonl`

async function sizeOf(dir: string): Promise<number> {
  const names = (await readdir(dir)).filter((name) => /\.jsonl(?:\.gz)?$/.test(name))
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(dir, name))).size))
  return sizes.reduce((sum, one) => sum + one, 0)
}

/** A look at the end of a file, larger than any line but a book of thousands of levels. */
const tailBytes = 1024 * 1024

/** Cuts off what a crash left of the last line; returns how many bytes. */
async function mend(path: string): Promise<number> {
  const file = await open(path, 'a+', 0o600)
  try {
    const { size } = await file.stat()
    for (let end = size; end > 0; end -= tailBytes) {
      const start = Math.max(0, end - tailBytes)
      const { buffer } = await file.read(Buffer.alloc(end - start), 0, end - start, start)
      const last = buffer.lastIndexOf(0x0a)
      if (last === -1) continue
      const whole = start + last + 1
      if (whole < size) await file.truncate(whole)
      return size - whole
    }
    if (size > 0) await file.truncate(0)
    return size
  } finally {
    await file.close()
  }
}

/** `tape-2026-01-01.jsonl` becomes `….jsonl.gz`. A file that was compressed before and not removed is only removed. */
async function compress(dir: string, name: string): Promise<void> {
  const plain = join(dir, name)
  const own = await hashOf(plain)
  const present = new Set(await readdir(dir))
  let target = `${name}.gz`
  // A clock that was set back makes two files of one day; neither may take the other's place.
  for (let number = 2; present.has(target); number += 1) {
    if ((await hashOf(join(dir, target))) === own) {
      await rm(plain)
      return
    }
    target = name.replace(/\.jsonl$/, `.${number}.jsonl.gz`)
  }
  const part = join(dir, `${target}.part`)
  await rm(part, { force: true })
  const whole = createWriteStream(part, { flags: 'wx', mode: 0o600 })
  await pipeline(createReadStream(plain), createGzip({ level: 9 }), whole)
  const file = await open(part, 'r+')
  await file.sync()
  await file.close()
  await rename(part, join(dir, target))
  await rm(plain)
}

/** Of the lines, compressed or not. */
async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  const file = createReadStream(path)
  await (path.endsWith('.gz') ? pipeline(file, createGunzip(), hash) : pipeline(file, hash))
  return hash.digest('hex')
}
