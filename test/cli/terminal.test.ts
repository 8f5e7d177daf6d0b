import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { createTerminal } from '../../src/cli/terminal.ts'

test('[LOCAL-35] messages that nobody reads are dropped from a mebibyte on, and counted', async () => {
  const read: string[] = []
  let release = () => {}
  const stuck = new Promise<void>((resolve) => {
    release = resolve
  })
  const stderr = new Writable({
    write(chunk, _, done) {
      void stuck.then(() => {
        read.push(String(chunk))
        done()
      })
    },
  })
  const { note } = createTerminal({ stdout: stderr, stderr })
  note('x'.repeat(2 * 1024 * 1024))
  for (const text of ['one', 'two', 'three']) note(text)
  release()
  await expect.poll(() => stderr.writableLength).toBe(0)
  note('four')
  await expect
    .poll(() => read.slice(1))
    .toEqual(['3 messages were dropped: nobody read them.\n', 'four\n'])
})
