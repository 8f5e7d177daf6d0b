import { vi } from 'vitest'
import { describeSeeds } from './describeSeeds.ts'
import { openMachine } from './openMachine.ts'

vi.mock('node:sqlite', () => import('./simulatedSqlite.ts'))

await describeSeeds(await openMachine(), { half: 2 })
