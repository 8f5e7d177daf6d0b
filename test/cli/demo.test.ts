import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lockJournal } from '../../src/bot/journal/holdJournal.ts'
import { configHead } from '../../src/sandbox/writeConfig.ts'
import { runBallast } from '../support/runBallast.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ballast-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
const files = () =>
  Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  )
const demo = (env: Readonly<Record<string, string>> = {}, dataDir = '.') =>
  runBallast(['demo', '--seconds', '1', '--port', '0', '--data-dir', dataDir], { cwd: folder, env })

describe('a folder of a bot is no place for a market, and stays as it is', () => {
  const own = { 'deployment.json': '{}', 'ballast.yaml': configHead }
  const key = `WALLET_KEY=0x${'7'.repeat(64)}\n`
  test.each<[string, Readonly<Record<string, string>>, string]>([
    ['a configuration', { 'ballast.yaml': 'chain: {}\n' }, 'ballast.yaml'],
    ['one copied from a sandbox', { 'ballast.yaml': configHead }, 'ballast.yaml'],
    ['one of its own beside a chain', { ...own, 'ballast.yaml': 'chain: {}\n' }, 'ballast.yaml'],
    ['a key', { '.env': key }, '.env'],
    ['a key of its own beside a chain', { ...own, '.env': key }, '.env'],
    ['a journal', { 'ballast.db': 'books' }, 'ballast.db'],
  ])('%s', async (_, before, file) => {
    for (const [name, text] of Object.entries(before)) write(name, text)
    expect(await demo()).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(`has a ${file} that is .* \\(FILE_EXISTS\\)`),
    })
    expect(files()).toEqual(before)
  })
})

test('a journal that a bot holds is not moved away from under it', async () => {
  // The folder of a demo whose chain is gone.
  write('deployment.json', '{}')
  write('ballast.yaml', configHead)
  write('ballast.db', 'books')
  const lock = lockJournal(join(folder, 'ballast.db'))
  expect(await demo()).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('(JOURNAL_LOCKED)'),
  })
  lock.release()
  expect(files()).toMatchObject({ 'ballast.db': 'books' })
})

describe('a journal that a variable names is not the one of a demo', () => {
  const named = 'DATABASE_URL=sqlite:books.db'
  beforeEach(() => {
    write('url', 'sqlite:books.db\n')
    chmodSync(join(folder, 'url'), 0o600)
  })
  test.each<[string, Readonly<Record<string, string>>, string]>([
    ['in the environment', { DATABASE_URL: 'sqlite:books.db' }, ''],
    ['in a file that the environment names', { DATABASE_URL_FILE: '../url' }, ''],
    ['in .env of the working directory', {}, named],
  ])('%s', async (_, env, file) => {
    if (file !== '') write('.env', file)
    const before = files()
    expect(await demo(env, 'demo')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/DATABASE_URL\S* in .*: unset it\./),
    })
    expect(files()).toEqual(before)
  })
})
