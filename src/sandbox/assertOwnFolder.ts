import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ballastError } from '../core/errors.ts'
import { accountsOf } from './accounts.ts'
import type { SandboxWorld } from './world.ts'
import { configHead } from './writeConfig.ts'

/**
 * Throws FILE_EXISTS where the folder has the files of a bot that no sandbox wrote: a start would replace its key.
 *
 * The head alone is no proof, since people copy a configuration from a sandbox to change it.
 */
export function assertOwnFolder(dataDir: string, world: SandboxWorld): void {
  const has = (name: string) => existsSync(join(dataDir, name))
  const isSandbox = has('deployment.json') || has('chain.json')
  const begins = (name: string, head: string) =>
    readFileSync(join(dataDir, name), 'utf8').startsWith(head)
  const isOwn: Readonly<Record<string, () => boolean>> = {
    'ballast.yaml': () => begins('ballast.yaml', configHead),
    '.env': () => begins('.env', `WALLET_KEY=${accountsOf(world).wallets.get('treasury')?.key}\n`),
    'ballast.db': () => true,
  }
  for (const [name, written] of Object.entries(isOwn))
    if (has(name) && !(isSandbox && written()))
      throw ballastError(
        'FILE_EXISTS',
        `The folder has a ${name} that is not the sandbox's: choose another --data-dir.`,
        { file: join(dataDir, name) },
      )
}
