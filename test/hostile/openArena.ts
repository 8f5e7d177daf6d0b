import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startArena } from '../../src/app/drill/startArena.ts'
import type { Reading } from '../../src/bot/stages.ts'
import { systemClock } from '../../src/core/clock.ts'
import type { DrillVerdict } from '../../src/drill/runDrill.ts'
import { silent } from '../support/silent.ts'

/** The market of a drill for one test file. */
export async function openArena() {
  const folder = await mkdtemp(join(tmpdir(), 'ballast-arena-'))
  const arena = await startArena({ user: undefined, folder, clock: systemClock, log: silent })
  return {
    /** Tells these cases to the bot, and those that are honest; verdicts by name. */
    async drill(
      names: readonly string[],
      blind?: (reading: Reading) => Reading,
    ): Promise<ReadonlyMap<string, DrillVerdict>> {
      const { signal } = new AbortController()
      const only = new Set(names)
      const verdicts = await arena.drill({ only, signal, ...(blind && { blind }) })
      return new Map(verdicts.map((verdict) => [verdict.name, verdict]))
    },
    async close() {
      await arena.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
