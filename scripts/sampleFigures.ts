import type { botMetrics } from '../src/dashboard/botMetrics.ts'
import type { fleetMetrics } from '../src/dashboard/createFleetDashboard.ts'

const at = '2026-11-22T12:00:00.000Z'
const text = { subject: '', since: at, sentence: '', next: '' }

/** A bot that has something of each kind to show, so that every metric has a sample. */
export const botSample: Parameters<typeof botMetrics>[0] = {
  now: Date.parse(at),
  locks: [
    { id: 1, kind: 'halt', scope: 'all', code: 'X', reason: '', openedAt: at, expiresAt: null },
  ],
  strategies: [
    { name: 'x', summary: '', decision: null, reason: null, decidedAt: at, nextAt: null },
  ],
  health: {
    ready: false,
    attention: [{ ...text, kind: 'gas', code: 'X', severity: 'warning' }],
    ...{
      mode: 'live',
      timeZone: 'UTC',
      explorer: null,
      sandbox: false,
      chain: 'x',
      chainId: 1,
      currency: 'ETH',
      wallet: '0x',
    },
    ...{ head: { block: 1, at }, balances: [] },
  },
  figures: {
    ...{ swapsEnded: [{ state: 'SETTLED', count: 1 }], swapsOpen: 0, gasPaidWei: 0n },
    ...{ slots: [{ state: 'done', count: 1 }], journalBytes: 1, diskFreeBytes: 1 },
  },
}

/** The same of a fleet. */
export const fleetSample: readonly [...Parameters<typeof fleetMetrics>] = [
  {
    wallets: [
      {
        ...{ name: 'x', path: '/w/x', chain: 'x', address: '0x', state: 'RUNNING', process: null },
        ...{ attention: [{ code: 'X', sentence: '' }], locks: ['X'], headAt: at },
        ...{ worth: null, worthAt: null, lastFill: null, open: 0 },
      },
    ],
    limits: [],
    processes: [{ id: 'x', role: 'worker', wallets: ['x'] }],
  },
  Date.parse(at),
]
