import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { privateKeyToAddress } from 'viem/accounts'
import { beforeEach, describe, expect, test } from 'vitest'
import { createStandardInput } from '../../src/cli/standardInput.ts'
import { cheapKeystore } from '../bot/sign/cheapKeystore.ts'
import { goodYaml } from '../config/goodYaml.ts'
import { callCli } from './callCli.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ballast-key-'))
})

const key = `0x${'c0ffee42'.repeat(8)}` as const
const address = privateKeyToAddress(key)
const password = 'correct horse battery staple'
const write = (name: string, text: string, mode = 0o600) =>
  writeFileSync(join(cwd, name), text, { mode })
const call = (
  argv: readonly string[],
  { stdin = '', ...environment }: { stdin?: string } & Record<string, string> = {},
) => callCli(argv, { cwd, environment, stdin })

/** A configuration whose wallet is this address and whose key is in `treasury.json`. */
const configured = (wallet: string, signer = '{ kind: keystore, file: ./treasury.json }') =>
  goodYaml.replace(
    /wallet: .*/,
    `wallet: { name: treasury, address: "${wallet}", signer: ${signer} }`,
  )

test('a password file that stands where the keystore should is not quoted, with -v either', async () => {
  write('pw', 'correct-horse-99\n')
  write('treasury.json', '{}\n')
  write('ballast.yaml', configured(address, '{ kind: keystore, file: ./pw }'))
  const { code, stdout, stderr } = await call(['key', 'address', '-v'], {
    WALLET_PASSWORD_FILE: 'treasury.json',
  })
  expect(code).not.toBe(0)
  expect(stderr).toContain('KEYSTORE_MALFORMED')
  expect(`${stdout}${stderr}`).not.toMatch(/correct|horse/)
})

describe('key new', () => {
  test('prints the address and nothing else; the file is private; the key opens by its password file', async () => {
    write('password', `${password}\n`)
    const environment = { WALLET_PASSWORD_FILE: 'password' }
    const made = await call(['key', 'new', '--out', 'treasury.json'], environment)
    expect(made).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^0x[0-9a-fA-F]{40}\n$/),
    })
    expect(statSync(join(cwd, 'treasury.json')).mode & 0o777).toBe(0o600)

    const wallet = made.stdout.trim()
    write('ballast.yaml', configured(wallet))
    expect(await call(['key', 'address', '--json'], environment)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"agrees": true'),
    })

    const again = await call(['key', 'new', '--out', 'treasury.json', '--json'], environment)
    expect(again.code).toBe(2)
    expect(JSON.parse(again.stdout).error).toMatchObject({ code: 'FILE_EXISTS' })
  })

  test.each([
    ['no password', {}, 'PASSWORD_MISSING'],
    ['a password file that is not there', { WALLET_PASSWORD_FILE: 'none' }, 'FILE_UNREADABLE'],
    ['a short password', { stdin: '1234567\n' }, 'PASSWORD_MISSING'],
    ['an empty one', { stdin: '\n' }, 'PASSWORD_MISSING'],
    ['a note below it', { stdin: 'correct horse\nurl: vault\n' }, 'PASSWORD_MISSING'],
  ] as const)('%s: writes nothing', async (_, environment, code) => {
    const piped = 'stdin' in environment ? ['--password-stdin'] : []
    const { code: exit, stdout } = await call(
      ['key', 'new', '--out', 'treasury.json', '--json', ...piped],
      environment,
    )
    expect([exit, JSON.parse(stdout).error.code]).toEqual([2, code])
    expect(() => statSync(join(cwd, 'treasury.json'))).toThrow()
  })

  test('a password in the place of the path of its file is not repeated', async () => {
    write('ballast.yaml', configured(address))
    const environment = { WALLET_PASSWORD_FILE: 'correct-horse-99' }
    for (const argv of [
      ['key', 'new', '--out', 'treasury.json', '--verbose'],
      ['key', 'address'],
      ['config', 'show'],
    ]) {
      const { stdout, stderr } = await call(argv, environment)
      expect(stdout + stderr).toMatch(/password/i)
      expect(stdout + stderr).not.toContain('correct-horse-99')
    }
    write('correct-horse-99', password)
    expect((await call(['config', 'show'], environment)).stdout).toContain('correct-horse-99')
  })

  test('a password file that others may read is refused', async () => {
    write('password', password, 0o644)
    const { code, stderr } = await call(['key', 'new', '--out', 'treasury.json'], {
      WALLET_PASSWORD_FILE: 'password',
    })
    expect(code).toBe(2)
    expect(stderr).toContain('chmod 600')
  })
})

describe('key import', () => {
  test('reads the key from standard input alone, and never shows it', async () => {
    const stdin = `${password}\n${key}\n`
    const argv = ['key', 'import', '--out', 'treasury.json', '--password-stdin', '--json']
    const { code, stdout, stderr } = await call(argv, { stdin })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({ address, file: join(cwd, 'treasury.json') })
    const file = readFileSync(join(cwd, 'treasury.json'), 'utf8')
    for (const text of [stdout, file]) expect(text).not.toContain('c0ffee42c0ffee42')

    // The same key, of a derivation that costs nothing.
    write('treasury.json', cheapKeystore(key, password))
    write('password', password)
    write('ballast.yaml', configured(`0x${'12'.repeat(20)}`))
    const other = await call(['key', 'address'], { WALLET_PASSWORD_FILE: 'password' })
    expect(other.code).toBe(2)
    expect(other.stdout).toContain(`${address} (keystore), but wallet.address is 0x1212`)
  })

  test('what is no key is refused and not repeated', async () => {
    write('password', password)
    for (const stdin of ['', 'hunter2hunter2', `0x${'0'.repeat(64)}`, `${key}${key}`]) {
      const { code, stdout } = await call(['key', 'import', '--out', 'treasury.json', '--json'], {
        stdin,
        WALLET_PASSWORD_FILE: 'password',
      })
      expect([code, JSON.parse(stdout).error.code]).toEqual([2, 'NOT_A_KEY'])
      expect(stdout).not.toContain('hunter2')
    }
  })

  test('a key as an argument is refused', async () => {
    const { code, stderr, stdout } = await call(['key', 'import', key, '--out', 'treasury.json'])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('Too many arguments')
    expect(stderr).not.toContain('c0ffee42')
  })
})

describe('key address', () => {
  test('a password that does not open the keystore is not repeated', async () => {
    write('treasury.json', cheapKeystore(key, password))
    write('ballast.yaml', configured(address))
    write('right', password)
    expect((await call(['key', 'address'], { WALLET_PASSWORD_FILE: 'right' })).code).toBe(0)

    write('wrong', 'another password')
    const wrong = await call(['key', 'address', '--json'], { WALLET_PASSWORD_FILE: 'wrong' })
    expect([wrong.code, JSON.parse(wrong.stdout).error.code]).toEqual([2, 'WRONG_PASSWORD'])
    expect(wrong.stdout).not.toContain('another password')
  })

  test('a plain key of development', async () => {
    write('ballast.yaml', configured(address, '{ kind: environment }'))
    const { code, stdout } = await call(['key', 'address', '--json'], { WALLET_KEY: key })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      wallet: 'treasury',
      signer: 'environment',
      address,
      configured: address,
      agrees: true,
    })
    const without = await call(['key', 'address', '--json'])
    expect([without.code, JSON.parse(without.stdout).error.code]).toEqual([2, 'WALLET_KEY_MISSING'])
  })

  test.each([
    [
      'a keystore without its password',
      '{ kind: keystore, file: ./none.json }',
      2,
      'PASSWORD_MISSING',
    ],
    [
      'a signer that is not there',
      '{ kind: process, socket: ./none.sock }',
      4,
      'SIGNER_UNAVAILABLE',
    ],
    [
      'a server that is not there',
      '{ kind: clef, url: "http://127.0.0.1:9" }',
      4,
      'SIGNER_UNAVAILABLE',
    ],
  ])('%s', async (_, signer, exit, error) => {
    write('ballast.yaml', configured(address, signer))
    const { code, stdout } = await call(['key', 'address', '--json'])
    expect([code, JSON.parse(stdout).error.code]).toEqual([exit, error])
  })
})

test('nothing prompts: a terminal as standard input is refused', async () => {
  const terminal = Object.assign(Readable.from([password]), { isTTY: true })
  await expect(createStandardInput(terminal).text('The password')).rejects.toMatchObject({
    code: 'USAGE',
  })
})
