import { vi } from 'vitest'
import { describeSeeds } from './describeSeeds.ts'
import { openMachine } from './openMachine.ts'

vi.mock('node:sqlite', () => import('./simulatedSqlite.ts'))
vi.mock('pg', () => import('./simulatedPg.ts'))

await describeSeeds(await openMachine(), {
  name: 'two workers [LOCAL-28]',
  ...{ first: 1, step: 1, share: 1 / 10, cast: 'two' },
})
