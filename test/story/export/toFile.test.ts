import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Sink, toFile } from '../../../src/story/export/writeRows.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ballast-file-'))
  path = join(folder, 'out.csv')
})
afterEach(() => rmSync(folder, { recursive: true }))

const files = () =>
  readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')])

test('an export has its name once it is whole, and what a killed one left is replaced', async () => {
  writeFileSync(`${path}.partial`, 'of a killed export', { mode: 0o644 })
  const during = await toFile(path, async (sink) => {
    await sink('half ')
    const there = files()
    await sink('and half')
    return there
  })
  expect(during).toEqual([['out.csv.partial', 'half ']])
  expect(files()).toEqual([['out.csv', 'half and half']])
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('a file that appeared under the name of an export meanwhile stays', async () => {
  const work = async (sink: Sink) => {
    await sink('rows')
    writeFileSync(path, 'what another one needs')
  }
  await expect(toFile(path, work)).rejects.toMatchObject({
    code: 'EXPORT_FILE',
    summary: expect.stringContaining('overwrites nothing'),
  })
  expect(files()).toEqual([['out.csv', 'what another one needs']])
})

test('of two exports of one name the one that began later is whole, and the other is told', async () => {
  const [began, replaced] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const first = toFile(path, async (sink) => {
    await sink('the first')
    began.resolve()
    await replaced.promise
  })
  await began.promise
  await toFile(path, async (sink) => {
    await sink('the second, ')
    replaced.resolve()
    await expect(first).rejects.toMatchObject({
      code: 'EXPORT_FILE',
      summary: expect.stringContaining('cannot be written'),
    })
    await sink('whole')
  })
  expect(files()).toEqual([['out.csv', 'the second, whole']])
})
