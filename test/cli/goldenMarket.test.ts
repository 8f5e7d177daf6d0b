import { afterAll, beforeAll, test } from 'vitest'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { callCli } from './callCli.ts'
import { expectGolden } from './expectGolden.ts'
import { masked } from './masked.ts'

// As golden.test.ts, of the commands that need a market: a day of its operator, one call after the other.

let fork: Fork
beforeAll(async () => {
  fork = await forkOrigin()
})
afterAll(() => fork.close())

const wish = ['--sell', '1 ETH', '--buy', 'USDC']

const calls: Readonly<Record<string, readonly string[]>> = {
  chains: ['chains'],
  orderbook: ['orderbook'],
  quote: ['quote', ...wish],
  'quote-firm': ['quote', ...wish, '--firm'],
  'dry-run': ['dry-run'],
  swap: ['swap', ...wish],
  'swap-live': ['swap', ...wish, '--live'],
  reconcile: ['reconcile'],
  doctor: ['doctor'],
  revoke: ['revoke'],
  halt: ['halt', '--reason', 'a look first'],
  'halt-status': ['status'],
  'halt-swap': ['swap', ...wish, '--live'],
  resume: ['resume', '--reason', 'looked'],
  pause: ['pause', '--reason', 'a rest'],
  drain: ['drain', '--reason', 'an update'],
  archive: ['archive', '--before', '2026-01-01'],
  backup: ['backup', 'FOLDER/copy.db'],
  migrate: ['migrate', '--to', 'sqlite:./moved.db'],
  recover: ['recover', '--reason', 'a check'],
  restore: ['restore', 'FOLDER/copy.db'],
  'new-strategy': ['new', 'strategy', 'mine'],
  'config-init': ['config', 'init', '--strategy', 'dca', '--config', 'fresh.yaml'],
  'key-address': ['key', 'address'],
}

/** A path in the middle of a sentence breaks its lines where this machine's folder does. */
const wide = ['backup', 'migrate', 'restore']

test.each(Object.entries(calls))('%s', async (file, args) => {
  const columns = wide.includes(file) ? 1_000 : 80
  const ended = await callCli(
    args.map((arg) => arg.replace('FOLDER', fork.dataDir)),
    { cwd: fork.dataDir, columns },
  )
  await expectGolden(file, masked(ended), { folder: fork.dataDir })
})
