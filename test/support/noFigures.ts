import type { Queries } from '../../src/dashboard/queries.ts'
import type { FiguresView, Health } from '../../src/dashboard/views.ts'

/** The figures of a journal in which nothing ever happened. */
export const noFigures = async (): Promise<FiguresView> => ({
  swapsEnded: [],
  swapsOpen: 0,
  slots: [],
  gasPaidWei: 0n,
  journalBytes: null,
  diskFreeBytes: null,
})

/** The same of a dashboard: its log has no entry, its wallet is not valued yet. */
export const quietQueries: Omit<Queries, 'swaps' | 'swap' | 'strategies' | 'locks' | 'plan'> = {
  figures: noFigures,
  story: async () => undefined,
  quote: async () => undefined,
  value: async () => null,
  newest: async () => 0,
  coming: async () => ({
    ...{ from: '', until: '', strategies: [], months: [], blocks: [], unknown: [] },
  }),
  strategy: async () => undefined,
  limits: async () => [],
  targets: async () => [],
  fills: async () => [],
  breakers: async () => [],
  pastLocks: async () => [],
  calendar: async (month = '2026-05') => ({
    ...{ month, timeZone: 'UTC', today: '2026-05-04', days: [], isCut: false },
  }),
  markets: async () => [],
  fillers: async () => ({ from: null, makers: [], execution: [] }),
  indication: async () => {
    throw new Error('no market is open')
  },
  months: async () => ({ timeZone: 'UTC', current: '2026-05', months: ['2026-05'] }),
  monthFile: async (month, kind) => ({ kind, text: `${kind} of ${month}`, style: '' }),
  audit: async () => ({
    ...{ head: { seq: 0, hash: '0'.repeat(64) }, entries: [], older: null, reconciled: null },
  }),
}

/** A process that is well, on a chain of nobody's, as its dashboard is told. */
export const quietHealth: Health = {
  ...{ ready: true, attention: [], mode: 'live', sandbox: false, chain: 'local', chainId: 31337 },
  ...{ currency: 'ETH', timeZone: 'UTC', explorer: null, wallet: '0xaa', head: null, balances: [] },
}
