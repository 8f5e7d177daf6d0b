import {
  accessSync,
  chmodSync,
  constants,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Gives a test run a temporary folder of its own and takes it away at the end, whatever the tests leave in it. */
export default function setup(): (() => void) | undefined {
  // Of another project of the same run.
  if (process.env.BALLAST_TEST_FOLDER !== undefined) return undefined
  const machine = tmpdir()
  const own = mkdtempSync(join(memoryFolder() ?? machine, 'ballast-test-'))
  // Where root runs the tests another account runs PostgreSQL, and must get to its folder in this one.
  chmodSync(own, 0o711)
  process.env.BALLAST_TEST_FOLDER = own
  process.env.TMPDIR = own
  // What Node compiled is worth keeping from run to run.
  process.env.NODE_COMPILE_CACHE ??= join(machine, 'node-compile-cache')
  return () => {
    process.env.TMPDIR = machine
    delete process.env.BALLAST_TEST_FOLDER
    rmSync(own, { recursive: true, force: true })
  }
}

/** Several times what a run leaves. */
const bytesLeast = 8 * 2 ** 30

/**
 * Linux's file system in memory, where it has the room and no TMPDIR was chosen: hundreds of journals wait for a disk each
 * time they commit. A killed process keeps what it wrote in memory as well; a cut of the power is tested on the simulated
 * disk.
 */
function memoryFolder(): string | undefined {
  const folder = '/dev/shm'
  if (process.env.TMPDIR !== undefined) return undefined
  try {
    accessSync(folder, constants.W_OK)
    // Tests run programs from there, which a container may not allow.
    if (/ \/dev\/shm \S+ \S*\bnoexec\b/.test(readFileSync('/proc/mounts', 'utf8'))) return undefined
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize < bytesLeast ? undefined : folder
  } catch {
    return undefined
  }
}
