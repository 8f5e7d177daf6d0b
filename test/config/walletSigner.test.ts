import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/loadConfig.ts'
import { BallastError } from '../../src/core/errors.ts'
import { callCli } from '../cli/callCli.ts'
import { goodYaml } from './goodYaml.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ballast-config-'))
})

function load(signer: string, environment: Record<string, string> = {}) {
  const yaml = goodYaml.replace('180aa9" }', `180aa9", signer: ${signer} }`)
  writeFileSync(join(cwd, 'ballast.yaml'), yaml)
  return loadConfig({ file: 'ballast.yaml', environment, cwd }).wallet
}

function complaint(signer: string, environment: Record<string, string> = {}): string | undefined {
  try {
    load(signer, environment)
    return undefined
  } catch (error) {
    if (!(error instanceof BallastError)) throw error
    return error.summary
  }
}

const keyName = 'projects/p/locations/l/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1'

describe('wallet.signer', () => {
  test('default: the environment', () => {
    writeFileSync(join(cwd, 'ballast.yaml'), goodYaml)
    const { signer } = loadConfig({ file: 'ballast.yaml', environment: {}, cwd }).wallet
    expect(signer).toEqual({ kind: 'environment' })
  })

  test('every kind becomes values, paths relative to the file', () => {
    expect(load('{ kind: keystore, file: ./treasury.json }').signer).toEqual({
      kind: 'keystore',
      file: join(cwd, 'treasury.json'),
      passwordFile: undefined,
    })
    const environment = { WALLET_PASSWORD_FILE: '/run/secrets/password' }
    expect(load('{ kind: keystore, file: /keys/a.json }', environment).signer).toEqual({
      kind: 'keystore',
      file: '/keys/a.json',
      passwordFile: '/run/secrets/password',
    })
    expect(load('{ kind: process, socket: ./run/signer.sock }').signer).toEqual({
      kind: 'process',
      socket: join(cwd, 'run/signer.sock'),
    })
    for (const kind of ['web3signer', 'clef'] as const) {
      const { signer } = load(`{ kind: ${kind}, url: "http://127.0.0.1:9000" }`)
      expect(signer.kind === kind && signer.url.reveal()).toBe('http://127.0.0.1:9000')
    }
    expect(load('{ kind: aws-kms, keyId: alias/treasury, region: eu-central-1 }').signer).toEqual({
      kind: 'aws-kms',
      keyId: 'alias/treasury',
      region: 'eu-central-1',
      endpoint: undefined,
    })
    const { signer } = load(
      `{ kind: gcp-kms, keyName: ${keyName}, endpoint: "https://kms.example" }`,
    )
    expect(signer).toMatchObject({ kind: 'gcp-kms', keyName })
    expect(signer.kind === 'gcp-kms' && signer.endpoint?.reveal()).toBe('https://kms.example')
  })

  const all = 'environment, keystore, process, web3signer, clef, aws-kms, gcp-kms'
  test.each([
    [
      'keystore',
      "wallet.signer: is 'keystore': write for example { kind: keystore, file: ./treasury.json }.",
    ],
    ['{}', `wallet.signer.kind: is missing: write one of ${all}.`],
    ['{ kind: ledger }', `wallet.signer.kind: is 'ledger': write one of ${all}.`],
    ['{ kind: keystore }', "wallet.signer.file: is missing: write for example './treasury.json'."],
    [
      '{ kind: keystore, file: "" }',
      "wallet.signer.file: is empty: write a path, such as './treasury.json'.",
    ],
    [
      '{ kind: process, socket: ./s, file: ./t }',
      'wallet.signer.file: is not a key of a signer of kind process; known keys are kind, socket.',
    ],
    [
      '{ kind: web3signer, url: "unix:/run/a.sock" }',
      'wallet.signer.url: begins with unix://: write an http:// or https:// URL.',
    ],
    [
      '{ kind: aws-kms, keyId: a b, region: eu-central-1 }',
      "wallet.signer.keyId: is not a key of AWS KMS: write its id, ARN or alias, such as 'alias/ballast-treasury'.",
    ],
    [
      '{ kind: aws-kms, keyId: alias/a, region: Frankfurt }',
      "wallet.signer.region: 'Frankfurt' is not a region of AWS: write for example 'eu-central-1'.",
    ],
    [
      '{ kind: gcp-kms, keyName: wallet }',
      'wallet.signer.keyName: is not the version of a key of Google Cloud KMS: write',
    ],
    [
      '{ kind: environment, key: "0x12" }',
      'wallet.signer.key: is a secret, and secrets never live in this file',
    ],
  ])('%s: is refused in its place', (signer, sentence) => {
    const said = complaint(signer)
    expect(said).toMatch(/^ballast\.yaml:17:\d+ /)
    expect(said).toContain(sentence)
  })

  test('config show names the signer without what its URL may carry', async () => {
    load('{ kind: clef, url: "https://user:password-of-clef@clef.example/key-in-the-path" }')
    const { code, stdout } = await callCli(['config', 'show'], { cwd })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^wallet\.signer\.kind +clef +ballast\.yaml:17:\d+$/m)
    expect(stdout).toMatch(/^wallet\.signer\.url +https:\/\/clef\.example +ballast\.yaml:17:\d+$/m)
    expect(stdout).not.toMatch(/password-of|key-in-the-path/)
  })

  test('a plain key beside another signer is refused: one wallet has one key', () => {
    expect(complaint('{ kind: process, socket: ./s }', { WALLET_KEY: '5c'.repeat(32) })).toBe(
      'WALLET_KEY in the environment: a plain key lies here, but wallet.signer is process: remove the variable, or the section.',
    )
  })
})
