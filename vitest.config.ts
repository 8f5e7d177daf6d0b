import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { leftOut, seedOf, stories } from './test/support/draw.ts'
import { LongFirst } from './test/support/longFirst.ts'
import { type Project, projectOf, readFile } from './test/support/projectOf.ts'

// One draw for the whole of `npm test`: its workers read it, and the reporter prints it. No other run draws.
const seed = process.env.npm_lifecycle_event === 'test' ? seedOf(process.env.DRAW) : undefined
if (seed === undefined) delete process.env.DRAW
else process.env.DRAW = seed
const leftOutFiles = seed === undefined ? new Set() : leftOut(stories, seed)

const rules = 'test/layers.test.ts'
const files = globSync('test/**/*.test.ts', { cwd: import.meta.dirname }).filter(
  (file) => file !== rules && !leftOutFiles.has(file),
)
const filesOf = (project: Project) => files.filter((file) => projectOf(file, readFile) === project)

const shared = {
  pool: 'forks' as const,
  // A tenth of the work of a core is the collection of what a test leaves behind: less often where there is more room.
  execArgv: ['--max-semi-space-size=64'],
  // Limits of time end what hangs. No machine is so slow that it fails by one: a test asserts counts, never durations.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 240_000, interval: 50 } },
  retry: 0,
  restoreMocks: true,
  // A temporary folder that is gone with the run.
  globalSetup: ['test/support/temporary.ts'],
  setupFiles: ['test/support/patience.ts', 'test/support/leaveOut.ts'],
}

/**
 * Node's own modules, as `node src/main.ts` has them; those of one worker are loaded once. What replaces modules
 * (`*-mocks`) needs the ones of Vite, and files that do not share them.
 */
const native = { isolate: false, experimental: { viteModuleRunner: false, nodeLoader: false } }

const cores = availableParallelism()
/** A unit test waits now and then for a timer: three files for two cores. Each worker more loads everything once more. */
const units = { maxWorkers: Math.ceil(1.5 * cores) }
/**
 * What has a chain mostly waits for its blocks, and what explores fills the cores meanwhile. Many more files at once, and
 * quotes expire before they are used.
 */
const waits = { sequence: { groupOrder: 1 }, maxWorkers: 4 * cores }

export default defineConfig({
  test: {
    reporters: ['default', './scripts/summaryReporter.ts'],
    sequence: { sequencer: LongFirst },
    // A worker that ends late says so behind the count of tests, which is the last line.
    teardownTimeout: 120_000,
    projects: [
      {
        // `vitest run --project rules` is part of `npm run check`.
        test: { ...shared, name: 'rules', ...units, include: [rules] },
      },
      {
        // Needs nothing running: `npm run test:unit`.
        test: {
          ...shared,
          ...native,
          name: 'unit',
          ...units,
          include: filesOf('unit'),
          setupFiles: [
            ...shared.setupFiles,
            'test/support/alone.ts',
            'test/support/forgetSecrets.ts',
          ],
        },
      },
      {
        test: {
          ...shared,
          name: 'unit-mocks',
          ...units,
          include: filesOf('unit-mocks'),
          setupFiles: [...shared.setupFiles, 'test/support/alone.ts'],
        },
      },
      {
        test: { ...shared, ...native, name: 'journal', ...units, include: filesOf('journal') },
      },
      {
        test: {
          ...shared,
          ...native,
          name: 'ports',
          ...waits,
          include: filesOf('ports'),
          setupFiles: [...shared.setupFiles, 'test/support/forgetSecrets.ts'],
        },
      },
      {
        test: { ...shared, ...native, name: 'seeds', ...waits, include: filesOf('seeds') },
      },
      {
        test: { ...shared, name: 'seeds-mocks', ...waits, include: filesOf('seeds-mocks') },
      },
      {
        test: {
          ...shared,
          ...native,
          name: 'chain',
          ...waits,
          include: filesOf('chain'),
          setupFiles: [...shared.setupFiles, 'test/support/forgetSecrets.ts'],
          // A release, one prepared chain that every end-to-end file forks, one PostgreSQL.
          globalSetup: [
            ...shared.globalSetup,
            'test/support/release.ts',
            'test/support/origin.ts',
            'test/support/postgres.ts',
          ],
        },
      },
      {
        test: {
          ...shared,
          name: 'chain-mocks',
          ...waits,
          include: filesOf('chain-mocks'),
          globalSetup: [...shared.globalSetup, 'test/support/origin.ts'],
        },
      },
    ],
  },
})
