import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readFigures } from '../../src/app/reading/readFigures.ts'
import { createDashboard } from '../../src/dashboard/createDashboard.ts'
import type { Health } from '../../src/dashboard/views.ts'
import { openTraded } from '../cli/tradedJournal.ts'
import { goodYaml } from '../config/goodYaml.ts'
import { quietQueries } from '../support/noFigures.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ballast-metrics-'))
  writeFileSync(join(cwd, 'ballast.yaml'), goodYaml)
})
afterEach(() => rmSync(cwd, { recursive: true }))

const now = Date.UTC(2026, 10, 22, 12)
const iso = (secondsBefore: number) => new Date(now - secondsBefore * 1_000).toISOString()
const item = { severity: 'warning', subject: '', since: iso(0), sentence: '', next: '' } as const
const lock = { id: 1, scope: 'all', reason: '', openedAt: iso(9), expiresAt: null }
const strategy = { summary: '', decision: null, reason: null, nextAt: null }
const health: Health = {
  ready: false,
  attention: [
    { ...item, kind: 'lock', code: 'LEDGER_DRIFT' },
    { ...item, kind: 'slot', code: 'SLOT_MISSED' },
    { ...item, kind: 'slot', code: 'SLOT_MISSED' },
  ],
  ...{
    mode: 'live',
    timeZone: 'UTC',
    explorer: null,
    sandbox: false,
    chain: 'local',
    chainId: 31337,
    currency: 'ETH',
  },
  ...{ wallet: '0xaa', head: { block: 7, at: iso(2.5) }, balances: [] },
}

/** Every sample of a text in Prometheus' format, which says the type of each name before it. */
function samplesOf(text: string) {
  const types = new Map<string, string>()
  const samples: Record<string, number> = {}
  for (const line of text.trim().split('\n')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\w+) (.+)$/.exec(line) ?? []
    if (kind === 'TYPE') types.set(name, rest)
    if (line === '' || kind !== undefined) continue
    const [, of = '', labels = '', value = ''] =
      /^([a-z_]+)((?:\{\w+="[^"]*"\})?) (\S+)$/.exec(line) ?? []
    expect(types.get(of), line).toBe(of.endsWith('_total') ? 'counter' : 'gauge')
    samples[of + labels] = Number(value)
  }
  return samples
}

async function scrape(figures: Parameters<typeof createDashboard>[0]['queries']['figures']) {
  const { app, close } = createDashboard({
    queries: {
      ...quietQueries,
      ...{ figures, swaps: async () => [], swap: async () => undefined },
      locks: async () => [
        { ...lock, kind: 'halt', code: 'LEDGER_DRIFT' },
        { ...lock, kind: 'halt', code: 'BY_API' },
        { ...lock, kind: 'pause', code: 'BY_API' },
      ],
      strategies: async () => [
        { ...strategy, name: 'sell-strength', decidedAt: iso(4) },
        { ...strategy, name: 'new', decidedAt: null },
      ],
      plan: async () => {
        throw new Error('no plan')
      },
    },
    health: async () => health,
    halt: async () => ({ ...lock, kind: 'halt', code: 'BY_API' }),
    clock: { now: () => now, sleep: async () => {} },
    ...{ host: '127.0.0.1', port: 8787 },
  })
  try {
    return await app.inject({ url: '/metrics', headers: { host: 'localhost:8787' } })
  } finally {
    await close()
  }
}

test('metrics: the text parses, and its values are those of a traded journal', async () => {
  const { journal, sell, config } = await openTraded(cwd)
  const at = Date.UTC(2026, 10, 20, 9)
  const sale = { indicated: '3000', firm: '3000' }
  try {
    for (const [minute, received] of ['3000', '2999', undefined].entries())
      await sell({ ...sale, slot: at + minute * 60_000, ...(received && { received }) })
    const run = { strategy: 'weekly', calendar: '', reason: 'so', upto: at }
    await journal.slots.close({ ...run, slot: at, slots: 3, state: 'missed' })
    await journal.slots.close({ ...run, slot: at + 1, upto: at + 1, slots: 1, state: 'done' })

    const { headers, body } = await scrape(() => readFigures(journal, config))
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/)
    const records = await journal.swaps.history({ limit: 10 })
    const wei = records.reduce((sum, { gasPaidInAllWei }) => sum + BigInt(gasPaidInAllWei ?? 0), 0n)
    expect(wei).toBe(400_000_000_000_000n)
    const { ballast_disk_free_bytes: free, ...samples } = samplesOf(body)
    expect(free).toBeGreaterThan(0)
    expect(samples).toEqual({
      ballast_up: 1,
      ballast_ready: 0,
      'ballast_lock{code="LEDGER_DRIFT"}': 1,
      'ballast_lock{code="BY_API"}': 2,
      'ballast_attention{code="LEDGER_DRIFT"}': 1,
      'ballast_attention{code="SLOT_MISSED"}': 2,
      'ballast_swaps_total{state="SETTLED"}': 2,
      'ballast_swaps_total{state="REJECTED"}': 1,
      'ballast_swaps_total{state="REVERTED"}': 0,
      'ballast_swaps_total{state="EXPIRED_DEAD"}': 0,
      'ballast_swaps_total{state="DISPLACED"}': 0,
      'ballast_swaps_total{state="ABANDONED"}': 0,
      ballast_swaps_open: 0,
      'ballast_slots_total{state="done"}': 1,
      'ballast_slots_total{state="passed"}': 0,
      'ballast_slots_total{state="missed"}': 3,
      'ballast_slots_total{state="failed"}': 0,
      'ballast_gas_paid_total{currency="ETH"}': Number(wei) / 1e18,
      ballast_head_age_seconds: 2.5,
      'ballast_look_age_seconds{strategy="sell-strength"}': 4,
      ballast_journal_bytes: ['ballast.db', 'ballast.db-wal'].reduce(
        (sum, name) => sum + statSync(join(cwd, name)).size,
        0,
      ),
    })
  } finally {
    await journal.shut()
  }
})

test('metrics: a journal in which nothing happened is zeros, and one on a server has no size', async () => {
  const { journal, config } = await openTraded(cwd)
  const { swapsEnded, slots, ...figures } = await readFigures(journal, {
    ...config,
    database: {
      dialect: 'postgres',
      url: { reveal: () => 'postgres://db.example/ballast' } as never,
    },
  })
  await journal.shut()
  expect([...swapsEnded, ...slots].every(({ count }) => count === 0)).toBe(true)
  expect(figures).toEqual({
    ...{ swapsOpen: 0, gasPaidWei: 0n, journalBytes: null, diskFreeBytes: null },
  })
  const { body } = await scrape(async () => ({ swapsEnded, slots, ...figures }))
  expect(body).not.toMatch(/journal_bytes|disk_free/)
})
