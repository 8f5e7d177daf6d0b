import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { exposedSecrets, showVariable, variables } from '../../src/config/file/variables.ts'
import { loadConfig } from '../../src/config/loadConfig.ts'
import { BallastError } from '../../src/core/errors.ts'
import { goodYaml } from './goodYaml.ts'

/** Variables whose value lies in a file: `<NAME>_FILE` names it. */

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ballast-variables-'))
  write('ballast.yaml', goodYaml)
})

function write(path: string, text: string): void {
  writeFileSync(join(cwd, path), text, { mode: 0o600 })
}

const lookUp = (name: string, environment: Record<string, string>) =>
  variables({ environment, file: join(cwd, 'ballast.yaml'), cwd })(name)

const key = `0x${'5c'.repeat(32)}`
const token = 'correct-horse-battery-staple-1234'

test('a file stands for a variable; its path is relative to the configuration', () => {
  mkdirSync(join(cwd, 'secrets'))
  write('secrets/token', `${token}\n`)
  for (const path of ['secrets/token', './secrets/token', join(cwd, 'secrets/token')])
    expect(lookUp('DASHBOARD_TOKEN', { DASHBOARD_TOKEN_FILE: path })).toMatchObject({
      ...{ name: 'DASHBOARD_TOKEN', value: token, source: 'environment' },
    })
})

test.each([
  ['one\n', 'one'],
  ['one\r\n', 'one'],
  ['one', 'one'],
  ['one\n\n', 'one\n'],
  [' one \n', ' one '],
])('one newline at the end of %j is not part of the value', (text, value) => {
  write('token', text)
  expect(lookUp('DASHBOARD_TOKEN', { DASHBOARD_TOKEN_FILE: 'token' })?.value).toBe(value)
})

test('each secret of a bot may come from a file', () => {
  const values = {
    ...{ WALLET_KEY_TREASURY: key, RPC_URL_LOCAL: 'http://127.0.0.1:1', QUOTE_API_KEY: 'a-key' },
    ...{ DATABASE_URL: 'postgres://ballast:secret-word@127.0.0.1/ballast' },
    ...{ DASHBOARD_TOKEN: token, DASHBOARD_VIEWER_TOKEN: `${token}-of-viewers` },
    ...{ WEBHOOK_URL: 'https://hooks.example/a', WEBHOOK_SECRET: 'w'.repeat(32) },
  }
  for (const [name, value] of Object.entries(values)) write(name, `${value}\n`)
  const named = Object.fromEntries(Object.keys(values).map((name) => [`${name}_FILE`, name]))
  const load = (environment: Record<string, string>) =>
    loadConfig({ file: 'ballast.yaml', environment, cwd })
  const [byFile, plain] = [load(named), load(values)]
  expect(byFile.wallet.key?.reveal()).toBe(key)
  expect(byFile.database).toMatchObject({ dialect: 'postgres' })
  expect(byFile.dashboard.tokens?.viewer?.reveal()).toBe(`${token}-of-viewers`)
  expect(byFile.channels.webhook?.url.reveal()).toBe('https://hooks.example/a')
  expect(byFile.chain.rpcUrl.reveal()).toBe(plain.chain.rpcUrl.reveal())
  expect(byFile.service.apiKey?.reveal()).toBe('a-key')
  expect(byFile.hash).toBe(plain.hash)
})

test('the environment counts before .env, whichever of the two forms it has', () => {
  write('token', token)
  write('.env', 'DASHBOARD_TOKEN=of-the-file\nRPC_URL_FILE=token\n')
  expect(lookUp('DASHBOARD_TOKEN', { DASHBOARD_TOKEN_FILE: 'token' })?.value).toBe(token)
  expect(lookUp('DASHBOARD_TOKEN', {})?.value).toBe('of-the-file')
  expect(lookUp('RPC_URL', {})?.value).toBe(token)
  expect(lookUp('RPC_URL', { RPC_URL: 'plain' })?.value).toBe('plain')
})

test('an empty one is not set, and a variable that names a file already has no second', () => {
  expect(lookUp('DASHBOARD_TOKEN', { DASHBOARD_TOKEN_FILE: '' })).toBeUndefined()
  expect(lookUp('WALLET_PASSWORD_FILE', { WALLET_PASSWORD_FILE_FILE: 'none' })).toBeUndefined()
  expect(lookUp('WALLET_PASSWORD_FILE_A', { WALLET_PASSWORD_FILE_A_FILE: 'n' })).toBeUndefined()
  expect(lookUp('WALLET_PASSWORD_FILE', { WALLET_PASSWORD_FILE: './password' })?.value).toBe(
    './password',
  )
})

test('a wrong value is located at the variable that names its file', () => {
  write('level', 'loud\n')
  write('token', 'short')
  const environment = { LOG_LEVEL_FILE: 'level', DASHBOARD_TOKEN_FILE: 'token' }
  expect(refusal(environment).lines).toEqual([
    expect.stringMatching(/^LOG_LEVEL_FILE in the environment \(logLevel\): is 'loud'/),
    expect.stringMatching(/^DASHBOARD_TOKEN_FILE in the environment: is no token/),
  ])
  const found = lookUp('LOG_LEVEL', environment)
  expect(found && showVariable(found, cwd)).toBe('LOG_LEVEL_FILE in the environment')
})

describe('one sentence for', () => {
  test('both forms of one variable', () => {
    write('token', token)
    expect(refusal({ DASHBOARD_TOKEN_FILE: 'token', DASHBOARD_TOKEN: token })).toEqual({
      code: 'CONFIG_INVALID',
      lines: [
        'DASHBOARD_TOKEN_FILE in the environment: stands beside DASHBOARD_TOKEN: remove one.',
      ],
    })
  })

  test('a file that is not there; its name is not repeated, because it may be the secret itself', () => {
    expect(refusal({ WALLET_KEY_FILE: key })).toEqual({
      code: 'CONFIG_INVALID',
      lines: [
        'WALLET_KEY_FILE in the environment: names a file that cannot be read (ENOENT): write the path of one (what it says is not shown).',
      ],
    })
  })

  test('a folder', () => {
    mkdirSync(join(cwd, 'folder'))
    expect(refusal({ WALLET_KEY_FILE: 'folder' }).lines).toEqual([
      'WALLET_KEY_FILE in the environment: names no file: write the path of one (what it says is not shown).',
    ])
  })

  test('a file that others can read', () => {
    write('key', key)
    chmodSync(join(cwd, 'key'), 0o644)
    expect(refusal({ WALLET_KEY_FILE: 'key' }).lines).toEqual([
      'WALLET_KEY_FILE in the environment: others can read its file (mode 644): run chmod 600 on it.',
    ])
  })

  test('an empty file', () => {
    write('key', '\n')
    expect(refusal({ WALLET_KEY_FILE: 'key' }).lines).toEqual([
      'WALLET_KEY_FILE in the environment: names an empty file: write the value into it.',
    ])
  })

  test('a file that is too large', () => {
    write('key', 'x'.repeat(64 * 1024 + 1))
    expect(refusal({ WALLET_KEY_FILE: 'key' }).lines).toEqual([
      'WALLET_KEY_FILE in the environment: names a file of more than 65536 bytes: write the path of another.',
    ])
  })
})

test('nobody who only reads the journal, or halts, needs the files of other variables', () => {
  const environment = { WALLET_KEY_FILE: 'none', DASHBOARD_TOKEN_FILE: 'none' }
  const source = { file: 'ballast.yaml', environment, cwd }
  expect(loadConfig({ ...source, needs: 'journal' })).toBeDefined()
})

test('a .env that others can read is refused whoever reads a secret of it, and not who reads none', () => {
  write('.env', `QUOTE_API_KEY=${token}\n`)
  chmodSync(join(cwd, '.env'), 0o644)
  const source = { file: 'ballast.yaml', environment: {}, cwd }
  for (const needs of ['everything', 'market', 'deployment'] as const)
    expect(() => loadConfig({ ...source, needs })).toThrow(/chmod 600/)
  expect(loadConfig({ ...source, needs: 'journal' })).toBeDefined()
})

test('a .env that names files only may be read by anybody', () => {
  write('.env', 'WALLET_KEY_TREASURY_FILE=./key\nDASHBOARD_TOKEN_FILE=./token\n')
  chmodSync(join(cwd, '.env'), 0o644)
  const place = { file: join(cwd, 'ballast.yaml'), cwd }
  expect(exposedSecrets(place)).toEqual([])
  // Keys of wallets whose names end in those letters.
  for (const name of ['WALLET_KEY_COLD_FILE', 'WALLET_KEY_PROFILE']) {
    write('.env', `${name}=${key}\n`)
    expect(exposedSecrets(place)).toHaveLength(1)
  }
})

function refusal(environment: Record<string, string>) {
  try {
    loadConfig({ file: 'ballast.yaml', environment, cwd })
  } catch (error) {
    if (!(error instanceof BallastError)) throw error
    const { code, summary, facts } = error
    expect(JSON.stringify(facts)).not.toContain(key.slice(2))
    const more = Object.entries(facts).filter(([name]) => /^problem\d/.test(name))
    return { code, lines: [summary, ...more.map(([, sentence]) => String(sentence))] }
  }
  return { code: undefined, lines: [] }
}
