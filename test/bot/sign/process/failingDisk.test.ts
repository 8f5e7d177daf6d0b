import { mkdtempSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { openDayCount } from '../../../../src/bot/sign/process/openDayCount.ts'
import { systemClock } from '../../../../src/core/clock.ts'
import { limits, wallet } from './signerCase.ts'

/** The disk of the count: notes what reaches it and what is open, and tears the next write where it is told to. */
const disk = vi.hoisted(() => ({
  done: [] as string[],
  folders: [] as number[],
  open: 0,
  tears: false,
  fails: false,
}))
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>()
  return {
    ...real,
    writeSync(descriptor: number, bytes: Buffer) {
      disk.done.push('write')
      return real.writeSync(descriptor, disk.tears ? bytes.subarray(0, 20) : bytes)
    },
    openSync(...how: Parameters<typeof real.openSync>) {
      disk.open += 1
      return real.openSync(...how)
    },
    closeSync(descriptor: number) {
      disk.open -= 1
      real.closeSync(descriptor)
    },
    fsyncSync(descriptor: number) {
      const status = real.fstatSync(descriptor)
      disk.done.push(status.isDirectory() ? 'sync directory' : 'sync')
      if (status.isDirectory()) disk.folders.push(status.ino)
      if (disk.fails) throw new Error('EIO')
      real.fsyncSync(descriptor)
    },
  }
})

let file: string
let count: ReturnType<typeof openDayCount>
beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), 'ballast-disk-')), 'count')
  Object.assign(disk, { open: 0, tears: false, fails: false })
  count = openDayCount({ file, clock: systemClock })
  disk.done = []
})

const spend = (nonce: number) =>
  count.count(
    { chainId: 31_337, account: wallet, nonce, gas: 1n, value: 0n, sale: undefined },
    limits,
  )

test('a signature is counted on the disk itself before it is made', () => {
  spend(1)
  expect(disk.done).toEqual(['write', 'sync'])
})

test.each(['tears', 'fails'] as const)(
  'a disk that %s: nothing is counted, and so signed, after it',
  (how) => {
    spend(1)
    disk[how] = true
    const uncounted = (why: RegExp) =>
      expect.objectContaining({ code: 'SIGNER_COUNT_BROKEN', message: expect.stringMatching(why) })
    expect(() => spend(2)).toThrow(uncounted(how === 'tears' ? /not counted whole/ : /EIO/))
    disk[how] = false
    const before = readFileSync(file, 'utf8')
    expect(() => spend(3)).toThrow(uncounted(/nothing more is signed/))
    expect(readFileSync(file, 'utf8')).toBe(before)
    count.close()
    // The next start takes the torn line away; a whole one stays counted.
    disk.done = []
    count = openDayCount({ file, clock: systemClock })
    expect(disk.done).toEqual(how === 'tears' ? ['sync', 'sync directory'] : ['sync directory'])
    spend(3)
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(how === 'tears' ? 2 : 3)
  },
)

test('what was opened is closed', () => {
  expect(disk.open).toBe(1)
  expect(() => openDayCount({ file, clock: systemClock })).toThrow()
  count.close()
  expect(disk.open).toBe(0)
})

test('behind a link the folder of the file itself is synced', () => {
  const real = mkdtempSync(join(tmpdir(), 'ballast-real-'))
  const link = `${file}.link`
  symlinkSync(join(real, 'count'), link)
  disk.folders = []
  const linked = openDayCount({ file: link, clock: systemClock })
  linked.close()
  expect(disk.folders).toEqual([statSync(real).ino])
  count.close()
})
