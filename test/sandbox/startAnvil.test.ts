import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ownArtifact } from '../../src/sandbox/artifact.ts'
import { holdDataDir } from '../../src/sandbox/holdDataDir.ts'
import { startAnvil } from '../../src/sandbox/startAnvil.ts'

test('an anvil that ends before it listens is told with its own words', async () => {
  await expect(startAnvil({ chainId: -1 })).rejects.toMatchObject({
    code: 'ANVIL_FAILED',
    facts: { anvil: expect.stringContaining("unexpected argument '-1'") },
  })
})

test('a machine for which anvil is not installed is told what to install', async () => {
  const { arch } = process
  onTestFinished(() => {
    Object.defineProperty(process, 'arch', { value: arch })
  })
  Object.defineProperty(process, 'arch', { value: 'abacus' })
  await expect(startAnvil()).rejects.toMatchObject({ code: 'ANVIL_MISSING' })
})

test('an anvil that hears no signal is ended all the same', async () => {
  const anvil = await startAnvil({ endMsMax: 100 })
  process.kill(anvil.pid, 'SIGSTOP')
  await anvil.close()
  expect(() => process.kill(anvil.pid, 0)).toThrow(expect.objectContaining({ code: 'ESRCH' }))
})

test('a contract that is not compiled here is named', () => {
  expect(() => ownArtifact('Nowhere')).toThrow(
    expect.objectContaining({ code: 'CONTRACTS_MISSING', facts: { missing: 'Nowhere.json' } }),
  )
})

test('a data directory belongs to one sandbox while its chain runs', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'ballast-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  let now = 0
  const sleep = vi.fn(async (ms: number) => {
    now += ms
  })
  const hold = () => holdDataDir(dataDir, { clock: { now: () => now, sleep } })
  const first = await hold()
  first.by(process.pid)
  const refused = { code: 'DATA_DIR_IN_USE', facts: { dataDir, pid: process.pid } }
  await expect(hold()).rejects.toMatchObject(refused)
  expect(sleep).toHaveBeenCalled()

  // After the machine was started anew, another process has the number.
  const file = join(dataDir, 'chain.pid')
  const [pid, start = ''] = readFileSync(file, 'utf8').split('\n')
  if (process.platform === 'linux') {
    expect(start).not.toBe('')
    writeFileSync(file, `${pid}\n${start}0`)
    await hold()
  }
  // Where the system does not say when a process began, its number decides.
  writeFileSync(file, `${pid}\n`)
  await expect(hold()).rejects.toMatchObject(refused)
  first.release()
  await hold()

  // What is no process, or one that has ended, holds nothing.
  for (const pid of ['', 'x', '-1', String(2 ** 30)]) {
    writeFileSync(file, pid)
    await hold()
  }
})
