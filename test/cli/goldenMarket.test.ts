import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { callCli } from './callCli.ts'

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

/** What differs from run to run, as zeros of the same length where that is the same. */
const same = (text: string) =>
  [
    /0x[0-9a-f]{40,}/gi,
    // Heads of the log, checksums of tables, ids of swaps.
    /\b(?=[0-9a-f-]*[a-f])[0-9a-f-]{16,}\b/g,
    /\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?/g,
    /(?<=127\.0\.0\.1:)\d+/g,
    /(?<=gas )\d{6}/g,
    /(?<="openedAt":)\d+/g,
    /(?<=\.replaced-)\d+/g,
  ]
    .reduce(
      (masked, pattern) => masked.replaceAll(pattern, (found) => found.replaceAll(/[^\W_x]/g, '0')),
      text.replaceAll(fork.dataDir, '/folder'),
    )
    .replaceAll(/\d+\.\d{12,}(?= ETH)/g, '0.000000000000')
    .replaceAll(/(?<=block\s+)\d+/g, '00')
    .replaceAll(/\d+(?= s old)/g, '0')
    .replaceAll(/\d+(?= MiB)/g, '00000')

/** A path in the middle of a sentence breaks its lines where this machine's folder does. */
const wide = ['backup', 'migrate', 'restore']

test.each(Object.entries(calls))('%s', async (file, args) => {
  const columns = wide.includes(file) ? 1_000 : 80
  const { code, stdout, stderr } = await callCli(
    args.map((arg) => arg.replace('FOLDER', fork.dataDir)),
    { cwd: fork.dataDir, columns },
  )
  const text = `exit code ${code}\n${stdout}${stderr === '' ? '' : `\non stderr:\n${stderr}`}`
  await expect(same(text)).toMatchFileSnapshot(`golden/${file}.txt`)
})
