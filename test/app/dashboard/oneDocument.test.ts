import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { createReportsView } from '../../../src/app/dashboard/reportsView.ts'
import type { Served } from '../../../src/app/dashboard/served.ts'
import { loadConfig } from '../../../src/config/loadConfig.ts'
import { goodYaml } from '../../config/goodYaml.ts'

// A document is made by a process of its own, through 'node:child_process'.

const served = (parts: object) => parts as unknown as Served

test('one document is made at a time, and what its command says is handed on', async () => {
  const now = Date.UTC(2026, 10, 24)
  const { monthFile } = createReportsView(
    served({
      ...{ mode: 'live', clock: { now: () => now } },
      config: {
        file: '/nowhere/ballast.yaml',
        ...{ dashboard: { timeZone: 'UTC' }, chain: { chainId: 1 }, wallet: { address: '0xaa' } },
      },
      journal: { valuations: { page: async () => [] }, swaps: { page: async () => [] } },
    }),
  )
  const main = process.argv[1]
  process.argv[1] = new URL('../../../src/main.ts', import.meta.url).pathname
  try {
    const first = monthFile('2026-11', 'statement')
    // The other had its turn once the first was begun.
    const second = monthFile('2026-11', 'journal')
    const [one, other] = await Promise.allSettled([first, second])
    expect(other).toMatchObject({ status: 'rejected', reason: { code: 'REPORT_FAILED' } })
    expect(String((other as PromiseRejectedResult).reason)).toContain('Another document')
    expect(one).toMatchObject({ status: 'rejected', reason: { code: 'REPORT_FAILED' } })
    expect(String((one as PromiseRejectedResult).reason)).toContain('/nowhere/ballast.yaml')
    // Its place is free again.
    await expect(monthFile('2026-11', 'ledger')).rejects.not.toThrow('Another document')
  } finally {
    process.argv[1] = main ?? ''
  }
})

test('a document is of the wallet of its page, in a file of several', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ballast-documents-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const { chain, service, tokens, wallet, ...top } = parse(goodYaml)
  const other = { name: 'two', address: `0x${'a'.repeat(40)}` }
  const file = join(folder, 'ballast.yaml')
  // Nothing listens at port 9: a command that knows its wallet finds its journal away.
  const database = 'postgres://ballast@127.0.0.1:9/ballast'
  const text = stringify(
    { ...top, database, chains: [{ chain, service, tokens }], wallets: [wallet, other] },
    { defaultStringType: 'QUOTE_DOUBLE' },
  )
  writeFileSync(file, text, { mode: 0o600 })
  const config = loadConfig({ file, environment: {}, cwd: folder, needs: 'journal', wallet: 'two' })
  const { monthFile } = createReportsView(
    served({
      ...{ mode: 'live', clock: { now: () => Date.UTC(2026, 10, 24) }, config },
      journal: { valuations: { page: async () => [] }, swaps: { page: async () => [] } },
    }),
  )
  const main = process.argv[1]
  process.argv[1] = new URL('../../../src/main.ts', import.meta.url).pathname
  try {
    await expect(monthFile('2026-11', 'ledger')).rejects.toMatchObject({
      code: 'REPORT_FAILED',
      message: expect.stringContaining('(JOURNAL_UNREACHABLE)'),
      facts: { next: expect.stringContaining('--wallet two') },
    })
    // The rows of the statement beside it, which end with its valuations.
    await expect(monthFile('2026-11', 'journal')).rejects.toMatchObject({
      facts: { next: expect.stringContaining('--month 2026-11 --zone') },
    })
  } finally {
    process.argv[1] = main ?? ''
  }
})
