import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parse, stringify } from 'yaml'
import { parseCommandLine } from '../../src/cli/commandLine.ts'
import { createTerminal } from '../../src/cli/terminal.ts'
import { callCli } from '../cli/callCli.ts'
import { goodYaml } from '../config/goodYaml.ts'

/** The file of a fleet as containers are given it: two wallets on one chain. */
export function fleetYaml(): string {
  const { chain, service, tokens, wallet: _, ...rest } = parse(goodYaml)
  const account = (digit: string) => `0x${'0'.repeat(39)}${digit}`
  const file = '/run/secrets/ballast/treasury.json'
  const kms = { kind: 'aws-kms', keyId: 'alias/ballast', region: 'eu-central-1' }
  const written = {
    ...rest,
    chains: [{ chain: { ...chain, name: 'ethereum' }, service, tokens }],
    wallets: [
      { name: 'treasury', address: account('1'), signer: { kind: 'keystore', file } },
      { name: 'reserve', address: account('2'), signer: kms },
    ],
    dashboard: { host: '0.0.0.0', port: '8787', insecure: true },
  }
  return stringify(written, { defaultStringType: 'QUOTE_DOUBLE' })
}

/** What the secrets of a fleet hold. */
const held: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://ballast:word@postgres/ballast?sslmode=disable',
  RPC_URL_ETHEREUM: 'https://rpc.example/v3/key',
  QUOTE_API_KEY_ETHEREUM: 'a-key-of-the-service',
  DASHBOARD_TOKEN: 'correct-horse-battery-staple-1234',
  DASHBOARD_VIEWER_TOKEN: 'another-horse-battery-staple-5678',
}

/**
 * Checks the configuration as a process in a container would read it, with its variables and files. Says what came of it,
 * and which of the variables nobody looked at.
 */
export async function checkIn(environment: Readonly<Record<string, string>>) {
  const root = mkdtempSync(join(tmpdir(), 'ballast-container-'))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text, { mode: 0o400 })
  }
  write('/etc/ballast/ballast.yaml', fleetYaml())
  for (const [name, path] of Object.entries(environment))
    if (path.startsWith('/run/')) write(path, `${held[name.replace(/_FILE$/, '')] ?? 'password'}\n`)
  const read = new Set<string>()
  const recording = new Proxy<Record<string, string>>(environment, {
    get(_, name: string) {
      read.add(name)
      const value = environment[name]
      return value?.startsWith('/') ? join(root, value) : value
    },
  })
  const check = ['config', 'check']
  const { code, stdout, stderr } = await callCli(check, { cwd: root, environment: recording })
  const unread = Object.keys(environment).filter((name) => !read.has(name))
  return { code, text: stdout + stderr, unread }
}

/** A command line as Ballast understands it. */
export async function commandOf(words: readonly string[]) {
  const { stdout, stderr } = process
  const line = await parseCommandLine(words, createTerminal({ columns: 80, stdout, stderr }))
  return { name: line?.command.name, options: line?.options, global: line?.global }
}
