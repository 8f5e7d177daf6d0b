import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadTape } from '../../src/tape/loadTape.ts'
import { readTape, type TapeEntry } from '../../src/tape/readTape.ts'
import { textOf, type WrittenEntry } from '../../src/tape/tapeLine.ts'
import { gather } from './gather.ts'
import { lineOf, start, tapeOf, usdc, weth } from './tapeOf.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'ballast-tape-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const looks = [0, 10, 20].map((s) => ({ s, bids: [[1, 3000 + s]] as const }))
const text = (tapeOf(looks) as WrittenEntry[]).map(textOf).join('')
const expected = {
  chain: { name: 'local', chainId: 31_337 },
  tokens: { bySymbol: new Map([weth, usdc].map((one) => [one.symbol, one])), wrapped: weth },
}

async function readAll(...paths: string[]): Promise<TapeEntry[]> {
  return gather(readTape(paths))
}

test('a file reads the same compressed and not', async () => {
  writeFileSync(join(dir, 'a.jsonl'), text)
  writeFileSync(join(dir, 'b.jsonl.gz'), gzipSync(text))
  expect(await readAll(join(dir, 'a.jsonl'))).toEqual(tapeOf(looks))
  expect(await readAll(join(dir, 'b.jsonl.gz'))).toEqual(tapeOf(looks))
})

test('a folder is read in the order of its days, a day that is there twice once', async () => {
  const day = (s: number) =>
    (tapeOf([{ s, bids: [[1, s + 1]] }]) as WrittenEntry[]).map(textOf).join('')
  writeFileSync(join(dir, 'tape-2026-01-02.jsonl'), day(86_400))
  writeFileSync(join(dir, 'tape-2026-01-01.jsonl.gz'), gzipSync(day(0)))
  writeFileSync(join(dir, 'tape-2026-01-01.jsonl'), day(0))
  writeFileSync(join(dir, 'tape-2026-01-01.jsonl.gz.part'), 'half')
  const tape = await loadTape(readTape([dir]), expected)
  expect(tape.books.map(({ at }) => at - (tape.books[0]?.at ?? 0))).toEqual([0, 86_400_000])
})

test('days that a clock which was set back wrote into several files are read in the order of writing', async () => {
  const look = (s: number) =>
    (tapeOf([{ s, bids: [[1, s + 1]] }]) as WrittenEntry[]).map(textOf).join('')
  const hour = 3_600
  writeFileSync(join(dir, 'tape-2026-01-01.jsonl.gz'), gzipSync(look(0)))
  writeFileSync(join(dir, 'tape-2026-01-01.2.jsonl.gz'), gzipSync(look(hour)))
  writeFileSync(join(dir, 'tape-2026-01-01.10.jsonl.gz'), gzipSync(look(2 * hour)))
  writeFileSync(join(dir, 'tape-2026-01-02.jsonl.gz'), gzipSync(look(24 * hour)))
  writeFileSync(join(dir, 'tape-2026-01-02.jsonl'), look(25 * hour))
  const tape = await loadTape(readTape([dir]), expected)
  const first = tape.books[0]?.at ?? 0
  expect(tape.books.map(({ at }) => (at - first) / 3_600_000)).toEqual([0, 1, 2, 24, 25])
})

test('files that are named are read as they were begun, in whatever order a shell names them', async () => {
  const files = [
    ['tape-2026-01-02.jsonl', 24],
    ['tape-2026-01-01.2.jsonl.gz', 1],
    ['tape-2026-01-01.jsonl.gz', 0],
  ] as const
  for (const [name, hours] of files) {
    const s = hours * 3_600
    const entries = tapeOf([{ s, bids: [[1, s + 1]] }], { startedAt: start + s * 1_000 })
    const day = (entries as WrittenEntry[]).map(textOf).join('')
    writeFileSync(join(dir, name), name.endsWith('.gz') ? gzipSync(day) : day)
  }
  const tape = await loadTape(readTape(files.map(([name]) => join(dir, name))), expected)
  expect(tape.books.map(({ at }) => (at - start) / 3_600_000)).toEqual([0, 1, 24])
  expect(tape.steppedBack).toBe(0)
})

test('a last line that was cut off is told of and left out', async () => {
  const cut = join(dir, 'a.jsonl')
  writeFileSync(cut, text.slice(0, -20))
  const entries = await readAll(cut)
  expect(entries.slice(0, 3)).toEqual(tapeOf(looks).slice(0, 3))
  expect(entries.slice(3)).toEqual([{ kind: 'torn', place: `${cut}:4` }])
  expect((await loadTape(entries, expected)).torn).toEqual([`${cut}:4`])
})

test('a day of which only half of its header was written costs no other day', async () => {
  const [first, half] = [join(dir, 'tape-2026-01-01.jsonl.gz'), join(dir, 'tape-2026-01-02.jsonl')]
  writeFileSync(first, gzipSync(text))
  const torn = { kind: 'torn', place: `${half}:1` }
  for (const written of ['{', text.slice(0, 40)]) {
    writeFileSync(half, written)
    expect(await readAll(dir)).toEqual([...tapeOf(looks), torn])
    expect(await readAll(first, half)).toEqual([torn, ...tapeOf(looks)])
  }
  // As recorders of before compressed it.
  rmSync(half)
  writeFileSync(`${half}.gz`, gzipSync(text.slice(0, 40)))
  expect(await readAll(dir)).toEqual([...tapeOf(looks), { ...torn, place: `${half}.gz:1` }])
})

test('half a line that is whole, or all that there is, is no tape', async () => {
  const half = join(dir, 'tape-2026-01-02.jsonl')
  writeFileSync(half, text.slice(0, 40))
  const damaged = { code: 'TAPE_DAMAGED', summary: `${half}:1 is not JSON.` }
  await expect(readAll(dir)).rejects.toMatchObject(damaged)
  writeFileSync(join(dir, 'tape-2026-01-01.jsonl'), text)
  writeFileSync(half, `${text.slice(0, 40)}\n`)
  await expect(readAll(dir)).rejects.toMatchObject(damaged)
})

test('a compressed file that was cut off ends where it ends', async () => {
  const cut = join(dir, 'a.jsonl.gz')
  const many =
    text +
    Array.from({ length: 2_000 }, (_, index) =>
      textOf({
        kind: 'line',
        line: lineOf({ s: 30 + index, bids: [[1, 3000 + Math.sin(index)]] }),
      }),
    ).join('')
  const whole = gzipSync(many)
  writeFileSync(cut, whole.subarray(0, whole.length / 2))
  const entries = await readAll(cut)
  expect(entries.length).toBeGreaterThan(100)
  expect(entries.at(-1)?.kind).toBe('torn')
})

test('a line in the middle that does not read is damage, with its place', async () => {
  const path = join(dir, 'a.jsonl')
  const lines = text.split('\n')
  writeFileSync(path, [lines[0], '{"half":', ...lines.slice(2)].join('\n'))
  await expect(readAll(path)).rejects.toMatchObject({
    code: 'TAPE_DAMAGED',
    summary: `${path}:2 is not JSON.`,
  })
  writeFileSync(path, lines.slice(1).join('\n'))
  await expect(readAll(path)).rejects.toMatchObject({
    summary: `${path}:1 is not the header of a tape.`,
  })
})

test('a header of another format is refused', async () => {
  const path = join(dir, 'a.jsonl')
  writeFileSync(path, text.replace('"format":1', '"format":2'))
  await expect(readAll(path)).rejects.toMatchObject({ code: 'TAPE_DAMAGED' })
})

test('a tape of another chain is refused, and a synthetic one is of none', async () => {
  await expect(
    loadTape(tapeOf(looks, { chain: 'ethereum', chainId: 1 }), expected),
  ).rejects.toMatchObject({
    code: 'TAPE_OF_ANOTHER_CHAIN',
    summary: 'The tape is of ethereum (chain id 1), but the configuration is for local (31337).',
  })
  const synthetic = { source: 'synthetic', chain: 'synthetic', chainId: 0 } as const
  const tape = await loadTape(tapeOf(looks, synthetic), expected)
  // Known by their symbols: the addresses of a synthetic tape are nobody's.
  expect(tape.indexOf(weth, usdc)).toBe(0)
})

test('recorded and synthetic are two tapes', async () => {
  const mixed = [...tapeOf(looks), ...tapeOf(looks, { source: 'synthetic', chainId: 0 })]
  await expect(loadTape(mixed, expected)).rejects.toMatchObject({ code: 'TAPES_MIXED' })
})

test('nothing to replay, nothing there', async () => {
  await expect(loadTape(tapeOf([]), expected)).rejects.toMatchObject({ code: 'TAPE_EMPTY' })
  await expect(readAll(join(dir, 'none'))).rejects.toMatchObject({ code: 'TAPE_MISSING' })
  await expect(readAll(dir)).rejects.toMatchObject({ code: 'TAPE_MISSING' })
})

test('a clock that was set back does not turn time around', async () => {
  const tape = await loadTape(
    tapeOf([
      { s: 10, bids: [[1, 1]] },
      { s: 5, bids: [[1, 2]] },
      { s: 20, bids: [[1, 3]] },
    ]),
    expected,
  )
  const [first = 0, ...others] = tape.books.map(({ at }) => at)
  expect(others.map((at) => at - first)).toEqual([0, 10_000])
  expect(tape.steppedBack).toBe(1)
})
