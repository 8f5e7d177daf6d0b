import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Gives a test run a temporary folder of its own and takes it away at the end, whatever the tests leave in it. */
export default function setup(): (() => void) | undefined {
  // Of another project of the same run.
  if (process.env.BALLAST_TEST_FOLDER !== undefined) return undefined
  const machine = tmpdir()
  const own = mkdtempSync(join(machine, 'ballast-test-'))
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
