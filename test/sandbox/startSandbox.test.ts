import { linkSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { readWorld } from '../../src/sandbox/readWorld.ts'
import { startSandbox } from '../../src/sandbox/startSandbox.ts'
import { silent } from '../support/silent.ts'

const fixed = fileURLToPath(new URL('../../src/sandbox/fixed.yaml', import.meta.url))

test('a record that a kill cut off counts as none, and so does its chain', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'ballast-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const world = readWorld(fixed)
  const start = () => startSandbox({ world, dataDir, clock: systemClock, log: silent })
  await (await start()).close()
  const record = join(dataDir, 'deployment.json')
  const kept = join(dataDir, 'kept')
  linkSync(record, kept)
  const whole = readFileSync(record, 'utf8')
  writeFileSync(record, whole.slice(0, whole.length / 2))

  for (const continued of [false, true]) {
    const sandbox = await start()
    expect(sandbox.continued).toBe(continued)
    await sandbox.close()
  }
  // What is written takes the place of the file, and does not begin by emptying it.
  expect(readFileSync(kept, 'utf8')).toBe(whole.slice(0, whole.length / 2))
  expect(readFileSync(record, 'utf8')).toBe(whole)
})
