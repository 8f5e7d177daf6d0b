import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { parseDocument } from 'yaml'
import { accountsOf } from '../../src/sandbox/accounts.ts'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import { callCli } from '../cli/callCli.ts'
import type { Fork } from './forkOrigin.ts'

/** A key that no other test uses: its account has sent nothing. */
export const deployerKey: Hex = `0x${'1d'.repeat(32)}`
export const deployer = privateKeyToAccount(deployerKey).address
export const owner = '0x00000000000000000000000000000000000a11ce'
export const freshMakerKey: Hex = `0x${'2d'.repeat(32)}`
export const freshMaker = privateKeyToAccount(freshMakerKey).address

/** A folder with a configuration whose wallet is the deployer, and whose service is not filled in. */
export async function deployerFolder(fork: Fork) {
  const folder = join(fork.dataDir, 'deployments')
  mkdirSync(folder, { recursive: true })
  const cwd = mkdtempSync(join(folder, 'd'))
  const yaml = parseDocument(readFileSync(fork.ready.config, 'utf8'))
  yaml.setIn(['chain', 'confirmations'], 0)
  yaml.setIn(['service', 'router'], 'FILL IN')
  yaml.setIn(['wallet', 'address'], deployer)
  yaml.set('strategies', [])
  writeFileSync(join(cwd, 'ballast.yaml'), yaml.toString({ lineWidth: 0 }))
  const secrets = {
    WALLET_KEY: deployerKey,
    FEE_SIGNER_KEY: accountsOf(fork.world).feeSigner.key,
    MAKER_KEY_DESK: freshMakerKey,
  }
  const lines = Object.entries(secrets).map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(join(cwd, '.env'), lines.join(''), { mode: 0o600 })
  for (const account of [deployer, freshMaker])
    await fork.rpc.request(anvilCalls.setBalance(account, 10n ** 18n))
  return {
    cwd,
    run: ({
      makers = ['desk'],
      more = [],
      environment = {},
    }: {
      makers?: readonly string[]
      more?: readonly string[]
      environment?: Readonly<Record<string, string>>
    } = {}) =>
      callCli(['deploy', '--owner', owner, '--maker', ...makers, ...more], { cwd, environment }),
  }
}
