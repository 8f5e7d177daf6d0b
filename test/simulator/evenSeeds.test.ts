import { vi } from 'vitest'
import { describeSeeds } from './describeSeeds.ts'
import { openMachine } from './openMachine.ts'

vi.mock('node:sqlite', () => import('./simulatedSqlite.ts'))

await describeSeeds(await openMachine(), {
  name: 'half 2 of 2',
  ...{ first: 2, step: 2, share: 1 / 2, cast: 'one' },
})
