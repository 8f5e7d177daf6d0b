import { expect, test } from 'vitest'
import { createReportsView } from '../../../src/app/dashboard/reportsView.ts'
import type { Served } from '../../../src/app/dashboard/served.ts'

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
      journal: { valuations: { page: async () => [] } },
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
