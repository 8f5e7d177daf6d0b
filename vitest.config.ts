import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const shared = {
  pool: 'forks',
  // Limits of time end what hangs. No machine is so slow that it fails by one: a test asserts counts, never durations.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 240_000, interval: 50 } },
  retry: 0,
  restoreMocks: true,
} as const

export default defineConfig({
  test: {
    maxWorkers: availableParallelism(),
    reporters: ['default', './scripts/summaryReporter.ts'],
    projects: [
      {
        // What needs nothing running: `vitest run --project rules` is part of `npm run check`.
        test: { ...shared, name: 'rules', include: ['test/layers.test.ts'] },
      },
      {
        // Ten thousand seeds take both cores whole, and half a minute: by themselves, before what waits for blocks.
        test: {
          ...shared,
          name: 'seeds',
          include: ['test/simulator/*Seeds.test.ts'],
        },
      },
      {
        test: {
          ...shared,
          name: 'all',
          sequence: { groupOrder: 1 },
          include: ['test/**/*.test.ts'],
          exclude: ['test/layers.test.ts', 'test/simulator/*Seeds.test.ts'],
          // A temporary folder for the run, a release, one prepared chain that every end-to-end file forks, one PostgreSQL.
          globalSetup: [
            'test/support/temporary.ts',
            'test/support/release.ts',
            'test/support/origin.ts',
            'test/support/postgres.ts',
          ],
        },
      },
    ],
  },
})
