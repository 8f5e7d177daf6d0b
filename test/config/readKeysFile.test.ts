import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readKeysFile } from '../../src/config/service/readKeysFile.ts'

const folder = mkdtempSync(join(tmpdir(), 'ballast-keys-'))
const file = join(folder, 'service.keys')
afterAll(() => rmSync(folder, { recursive: true }))

const read = (text: string) => {
  writeFileSync(file, text, { mode: 0o600 })
  return readKeysFile(file)
}
const hash = `sha256:${'0a'.repeat(32)}`
const key = 'a-key-of-16-or-more'

test('a key a line, plain or as a hash; comments and empty lines are none', () => {
  expect(read(`# the desk\n\n${key} # plain\r\n  ${hash}\n`)).toEqual([key, hash])
  expect(read('')).toEqual([])
})

test.each([
  ['too short', 'short-key-of-15'],
  ['too long', 'x'.repeat(513)],
  ['two words', `${key} ${key}`],
  ['half a hash', hash.slice(0, -1)],
  ['a hash with a letter too far', hash.replace('0a', '0g')],
])('%s: the line is named and not repeated', (_, line) => {
  const refused = { code: 'KEYS_INVALID', facts: { file } }
  expect(() => read(`${key}\n${line}\n`)).toThrow(expect.objectContaining(refused))
  try {
    read(`${key}\n${line}\n`)
  } catch (error) {
    expect(String(error)).toContain('Line 2 ')
    expect(JSON.stringify([error, String(error)])).not.toContain(line)
  }
})

test('plain keys are for a private file; hashes are no secret', () => {
  read(key)
  for (const mode of [0o666, 0o644, 0o620]) {
    chmodSync(file, mode)
    expect(() => read(`${hash}\n${key}\n`)).toThrow(
      expect.objectContaining({
        ...{ code: 'FILE_NOT_PRIVATE', summary: expect.stringContaining('run chmod 600 on it') },
        facts: { file, mode: mode.toString(8) },
      }),
    )
    expect(read(`${hash}\n`)).toEqual([hash])
  }
  chmodSync(file, 0o600)
})

test('a file that is away, or no file of keys, is told by its name', () => {
  const codeOf = (path: string) => {
    try {
      return readKeysFile(path)
    } catch (error) {
      return error
    }
  }
  expect(codeOf(join(folder, 'none'))).toMatchObject({
    code: 'KEYS_INVALID',
    facts: { reason: 'ENOENT' },
  })
  writeFileSync(file, '#'.repeat(4 * 1024 * 1024 + 1))
  expect(codeOf(file)).toMatchObject({
    code: 'KEYS_INVALID',
    facts: { reason: expect.stringContaining('larger than') },
  })
})
