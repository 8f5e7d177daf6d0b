import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { secret } from '../../src/core/secret.ts'
import { openTapeWriter } from '../../src/tape/openTapeWriter.ts'
import { readTape } from '../../src/tape/readTape.ts'
import { gather } from './gather.ts'
import { header, lineOf } from './tapeOf.ts'

let dir: string
let notes: string[]
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'ballast-tape-'))
  notes = []
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const { startedAt: _, ...rest } = header
const openWriter = (bytesMax = 1_000_000) =>
  openTapeWriter({ dir, bytesMax, header: rest, note: (line) => notes.push(line) })
const line = (s: number) => lineOf({ s, bids: [[1, 3000]] })
const day = 86_400
/** All but the lock, which stays. */
const tapes = () =>
  readdirSync(dir)
    .filter((name) => name !== 'tape.lock')
    .sort()

test('what a dead recorder was still compressing is removed', async () => {
  writeFileSync(join(dir, 'tape-2026-01-01.jsonl.gz.part'), 'half')
  await (await openWriter()).close()
  expect(tapes()).toEqual([])
})

test('a folder has one recorder at a time: a second costs the first nothing', async () => {
  const first = await openWriter()
  await first.append(line(0))
  const part = 'tape-2025-12-31.jsonl.gz.part'
  writeFileSync(join(dir, part), 'half')
  await expect(openWriter()).rejects.toMatchObject({ code: 'TAPE_IN_USE', facts: { dir } })
  expect(tapes()).toContain(part)
  await first.append(line(1))
  await first.close()

  const next = await openWriter()
  await next.append(line(2))
  await next.close()
  const entries = await gather(readTape([dir]))
  expect(entries.map(({ kind }) => kind)).toEqual(['header', 'line', 'line', 'header', 'line'])
})

test('a folder that cannot be written is named', async () => {
  writeFileSync(join(dir, 'file'), '')
  dir = join(dir, 'file')
  await expect(openWriter()).rejects.toMatchObject({ code: 'FILE_NOT_WRITTEN', facts: { dir } })
})

test('one file a UTC day, each with its header; a day that is over is compressed', async () => {
  const writer = await openWriter()
  for (const s of [0, day - 1, day, 2 * day]) await writer.append(line(s))
  await writer.close()
  expect(tapes()).toEqual([
    'tape-2026-01-01.jsonl.gz',
    'tape-2026-01-02.jsonl.gz',
    'tape-2026-01-03.jsonl',
  ])
  const entries = await gather(readTape([dir]))
  expect(entries.map(({ kind }) => kind)).toEqual([
    'header', 'line', 'line', 'header', 'line', 'header', 'line',
  ]) // biome-ignore format: a row of kinds
  expect(notes).toEqual([
    'tape-2026-01-01.jsonl is finished and compressed.',
    'tape-2026-01-02.jsonl is finished and compressed.',
  ])
})

test('a tape is for its own account, and a link in the place of what is compressed is not followed', async () => {
  const writer = await openWriter()
  await writer.append(line(0))
  const victim = join(dir, 'victim')
  writeFileSync(victim, 'what others need')
  symlinkSync(victim, join(dir, 'tape-2026-01-01.jsonl.gz.part'))
  await writer.append(line(day))
  await writer.close()
  expect(readFileSync(victim, 'utf8')).toBe('what others need')
  const own = tapes().filter((name) => name !== 'victim')
  expect(own.map((name) => (statSync(join(dir, name)).mode & 0o777).toString(8))).toEqual([
    '600',
    '600',
  ])
})

test('goes on after a crash: the torn line is cut off, told of, and nothing before it is lost', async () => {
  const first = await openWriter()
  await first.append(line(0))
  await first.append(line(10))
  await first.close()
  const path = join(dir, 'tape-2026-01-01.jsonl')
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, -30))

  const second = await openWriter()
  await second.append(line(20))
  await second.close()
  const entries = await gather(readTape([path]))
  expect(entries.map((one) => (one.kind === 'line' ? one.line.tMono : one.kind))).toEqual([
    'header', 0, 'header', 20_000,
  ]) // biome-ignore format: a row of kinds
  expect(notes).toEqual([
    expect.stringMatching(/^tape-2026-01-01\.jsonl ended in the middle of a line: \d+ bytes/),
  ])
})

test('a day that ended in the middle of a line is mended before it is compressed, and removed where nothing is left', async () => {
  const first = await openWriter()
  await first.append(line(0))
  await first.append(line(10))
  await first.close()
  const whole = join(dir, 'tape-2026-01-01.jsonl')
  writeFileSync(whole, readFileSync(whole, 'utf8').slice(0, -30))
  writeFileSync(join(dir, 'tape-2026-01-02.jsonl'), '{"format":1,"sou')

  const next = await openWriter()
  await next.append(line(2 * day))
  expect(next.size()).toBe(
    ['tape-2026-01-01.jsonl.gz', 'tape-2026-01-03.jsonl']
      .map((name) => statSync(join(dir, name)).size)
      .reduce((sum, one) => sum + one, 0),
  )
  await next.close()
  expect(tapes()).toEqual(['tape-2026-01-01.jsonl.gz', 'tape-2026-01-03.jsonl'])
  const entries = await gather(readTape([dir]))
  expect(entries.map(({ kind }) => kind)).toEqual(['header', 'line', 'header', 'line'])
  expect(notes).toEqual([
    expect.stringMatching(/^tape-2026-01-01\.jsonl ended in the middle of a line: \d+ bytes/),
    'tape-2026-01-01.jsonl is finished and compressed.',
    'tape-2026-01-02.jsonl ended in the middle of a line: 16 bytes were cut off.',
    'tape-2026-01-02.jsonl was empty and is removed.',
  ])
})

test('a crash while a day was compressed: the half copy goes, the whole one comes', async () => {
  const first = await openWriter()
  await first.append(line(0))
  await first.close()
  const plain = readFileSync(join(dir, 'tape-2026-01-01.jsonl'))
  writeFileSync(join(dir, 'tape-2026-01-01.jsonl.gz.part'), 'half')
  const second = await openWriter()
  await second.append(line(day))
  await second.close()
  expect(tapes()).toEqual(['tape-2026-01-01.jsonl.gz', 'tape-2026-01-02.jsonl'])
  expect(gunzipSync(readFileSync(join(dir, 'tape-2026-01-01.jsonl.gz')))).toEqual(plain)

  // Or after the copy had its name, before the plain file went.
  writeFileSync(join(dir, 'tape-2026-01-01.jsonl'), plain)
  const third = await openWriter()
  await third.append(line(day + 1))
  await third.close()
  expect(tapes()).toEqual(['tape-2026-01-01.jsonl.gz', 'tape-2026-01-02.jsonl'])
})

test('two files of one day are both kept', async () => {
  const other = `${JSON.stringify(header)}\n`
  writeFileSync(join(dir, 'tape-2026-01-01.jsonl.gz'), gzipSync(other))
  const writer = await openWriter()
  await writer.append(line(0))
  await writer.append(line(day))
  await writer.close()
  expect(tapes()).toEqual([
    'tape-2026-01-01.2.jsonl.gz',
    'tape-2026-01-01.jsonl.gz',
    'tape-2026-01-02.jsonl',
  ])
})

test('writes nothing beyond its size, and counts what was there before', async () => {
  const writer = await openWriter(2_000)
  const write = async () => {
    for (let s = 0; ; s += 1) await writer.append(line(s))
  }
  await expect(write()).rejects.toMatchObject({ code: 'TAPE_FULL', fault: 'refused' })
  await writer.close()
  const { size } = statSync(join(dir, 'tape-2026-01-01.jsonl'))
  expect(size).toBeLessThanOrEqual(2_000)
  expect(size).toBeGreaterThan(1_500)
  const again = await openWriter(2_000)
  await expect(again.append(line(99))).rejects.toMatchObject({ code: 'TAPE_FULL' })
  await again.close()
})

test('a key that a service repeats in its answer does not reach the file', async () => {
  secret('correct-horse-battery')
  const writer = await openWriter()
  await writer.append({ ...line(0), body: '{"message":"no such key correct-horse-battery"}' })
  await writer.close()
  const text = readFileSync(join(dir, 'tape-2026-01-01.jsonl'), 'utf8')
  expect(text).not.toContain('correct-horse')
  expect(text).toContain('[secret]')
})
