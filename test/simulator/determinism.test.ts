import { expect, test, vi } from 'vitest'
import { openMachine } from './openMachine.ts'
import { simulate } from './simulate.ts'

vi.mock('node:sqlite', () => import('./simulatedSqlite.ts'))
vi.mock('pg', () => import('./simulatedPg.ts'))

test.each(['one', 'two'] as const)(
  'simulator, %s: a seed is one story, whatever was told before it',
  async (cast) => {
    const machine = await openMachine()
    const seeds = [3, 29, 58, 84]
    const hashes = async () => {
      const told = new Map<number, string>()
      for (const seed of seeds) told.set(seed, (await simulate(seed, machine, { cast })).traceHash)
      return told
    }
    const first = await hashes()
    seeds.reverse()
    expect(await hashes()).toEqual(first)
    expect(new Set(first.values()).size).toBe(seeds.length)
  },
)
