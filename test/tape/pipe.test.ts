import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readTape } from '../../src/tape/readTape.ts'
import { textOf, type WrittenEntry } from '../../src/tape/tapeLine.ts'
import { gather } from './gather.ts'
import { tapeOf } from './tapeOf.ts'

test('a tape that comes through a pipe is read once, from its beginning', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'ballast-pipe-'))
  const [file, pipe] = [join(dir, 'whole.jsonl'), join(dir, 'pipe')]
  const entries = tapeOf([{ s: 0, bids: [[1, 3000]] }])
  writeFileSync(file, (entries as WrittenEntry[]).map(textOf).join(''))
  execFileSync('sh', ['-c', 'mkfifo "$0"', pipe])
  const writing = spawn('sh', ['-c', 'cat "$0" > "$1"', file, pipe])
  try {
    expect(await gather(readTape([pipe]))).toEqual(entries)
  } finally {
    writing.kill()
    rmSync(dir, { recursive: true })
  }
})
