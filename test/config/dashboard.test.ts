import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/loadConfig.ts'
import { BallastError } from '../../src/core/errors.ts'
import { withoutSecrets } from '../../src/core/secret.ts'
import { createAuthority } from '../support/certificates.ts'
import { goodYaml } from './goodYaml.ts'

const authority = createAuthority('Clients of the treasury')
const server = authority.issue('dashboard')

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ballast-dashboard-'))
  mkdirSync(join(cwd, 'tls'))
  write('tls/own.pem', server.cert)
  write('tls/own.key', server.key)
  write('tls/clients.pem', authority.cert)
})

const write = (path: string, text: string, mode = 0o600) =>
  writeFileSync(join(cwd, path), text, { mode })

type Reading = Partial<Parameters<typeof loadConfig>[0]>

function load(dashboard: string, reading: Reading = {}) {
  const written = 'dashboard: { host: 127.0.0.1, port: 8787 }'
  expect(goodYaml).toContain(written)
  write('ballast.yaml', goodYaml.replace(written, `dashboard: ${dashboard}`))
  return loadConfig({ file: 'ballast.yaml', environment: {}, cwd, ...reading })
}

/** The sentences of the refusal, without their places. */
function complaints(dashboard: string, reading?: Reading): readonly string[] {
  try {
    load(dashboard, reading)
  } catch (error) {
    if (!(error instanceof BallastError)) throw error
    const said = [error.summary, ...Object.values(error.facts).map(String)]
    return said
      .filter((line) => line.includes(' dashboard'))
      .map((line) => line.replace(/^ballast\.yaml:\d+:\d+ /, ''))
  }
  return []
}

const tls = (more = '') =>
  `{ host: 0.0.0.0, tls: { certFile: tls/own.pem, keyFile: tls/own.key, clientCaFile: tls/clients.pem, operators: [desk]${more} } }`
const environment = { DASHBOARD_TOKEN: 'certificates-instead-of-this-token' }

describe('loadConfig: dashboard.tls', () => {
  test('opens the dashboard to other machines without a token', () => {
    const { dashboard } = load(tls())
    expect(dashboard).toMatchObject({ host: '0.0.0.0', socket: undefined, tokens: undefined })
    expect(dashboard.tls).toMatchObject({
      cert: server.cert,
      clientCa: authority.cert,
      operators: ['desk'],
    })
    expect(dashboard.tls?.key.reveal()).toBe(server.key)
    expect(JSON.stringify(dashboard)).toContain('"key":"[secret]"')
    expect(withoutSecrets(server.key)).toBe('[secret]')
  })

  test('refuses a key that others can read, whoever they are', () => {
    for (const mode of [0o640, 0o604, 0o660, 0o644]) {
      chmodSync(join(cwd, 'tls/own.key'), mode)
      expect(complaints(tls())).toEqual([
        `dashboard.tls.keyFile: others can read this file (mode ${mode.toString(8)}): run chmod 600 tls/own.key.`,
      ])
    }
    chmodSync(join(cwd, 'tls/own.key'), 0o400)
    chmodSync(join(cwd, 'tls/own.pem'), 0o644)
    expect(complaints(tls())).toEqual([])
  })

  test('takes the place of tokens: one door, not two', () => {
    expect(complaints(tls(), { environment })).toEqual([
      'dashboard.tls: takes the place of tokens: remove DASHBOARD_TOKEN, or tls.',
    ])
  })

  test('names every file that is none, and repeats nothing of it', () => {
    rmSync(join(cwd, 'tls/own.key'))
    write('tls/own.pem', 'no certificate at all')
    write('tls/clients.pem', server.cert)
    expect(complaints(tls())).toEqual([
      'dashboard.tls.certFile: is no certificate in PEM.',
      'dashboard.tls.keyFile: cannot be read (ENOENT): write the path of a PEM file.',
      'dashboard.tls.clientCaFile: is no certificate of an authority in PEM.',
    ])
  })

  test.each([
    ['of another certificate', () => authority.issue('dashboard').key],
    ['that is none', () => 'no key'],
  ])('refuses a key %s', (_, key) => {
    write('tls/own.key', key())
    expect(complaints(tls())).toEqual([
      'dashboard.tls.keyFile: is not the key of certFile, without a password.',
    ])
  })

  test('needs somebody who may halt', () => {
    expect(complaints(tls().replace('[desk]', '[]'))).toEqual([
      'dashboard.tls.operators: is empty: name a certificate that may halt.',
    ])
  })

  test('keeps nobody from the journal', () => {
    rmSync(join(cwd, 'tls'), { recursive: true })
    expect(load(tls(), { needs: 'journal' }).dashboard.tls).toBe(undefined)
  })
})

describe('loadConfig: dashboard.socket', () => {
  test('is a path beside the file, and needs no token', () => {
    const { dashboard } = load('{ socket: run/dashboard.sock }')
    expect(dashboard.socket).toBe(join(cwd, 'run/dashboard.sock'))
    expect(complaints('{ socket: run/dashboard.sock }', { environment })).toEqual([])
  })

  test.each([
    ['host', 'host: 0.0.0.0'],
    ['port', 'port: 8787'],
    ['tls', tls().slice(tls().indexOf('tls: {'), -2)],
  ])('stands alone: %s has no meaning there', (name, written) => {
    expect(complaints(`{ socket: run/dashboard.sock, ${written} }`)).toEqual([
      `dashboard.${name}: has no meaning at a socket: remove it, or dashboard.socket.`,
    ])
  })
})
