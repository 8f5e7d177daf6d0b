import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Short files that take minutes: begun last, as their size would have it, they would be waited for alone. Some of them
 * mostly wait for blocks: begun together, they leave the cores idle, so they begin beside files that compute.
 */
const long = [
  'test/bot/reconcile/reconcile.test.ts',
  'test/app/providers.test.ts',
  'test/contracts/forge.test.ts',
  'test/day/day.test.ts',
  'test/browser/demo.test.ts',
  'test/crash/strikes.test.ts',
  'test/model/decisions.test.ts',
  'test/fleet/fleet.test.ts',
  'test/install.test.ts',
  'test/bot/drive.test.ts',
  'test/crash/crash.test.ts',
  'test/hostile/outside.test.ts',
  'test/bot/outbid.test.ts',
  'test/e2e/killSwitch.test.ts',
  'test/bot/broadcast/privately.test.ts',
  'test/bot/journal/archive/archiveJournal.test.ts',
  'test/day/demo.test.ts',
  'test/bot/simulate/votes.test.ts',
  'test/simulator/mutants.test.ts',
  'test/cli/postgres.test.ts',
  'test/faults/process.test.ts',
  'test/bot/reconcile/lagging.test.ts',
  'test/day/report.test.ts',
  'test/bot/locked.test.ts',
  'test/app/otherNodes.test.ts',
  'test/e2e/paperParity.test.ts',
  'test/hostile/quote.test.ts',
  'test/app/recoverBooks.test.ts',
  'test/e2e/opaqueEnds.test.ts',
  'test/e2e/paper.test.ts',
  'test/engine/worlds.test.ts',
]

/** The order of a fresh clone: the files that take minutes, then the largest. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rank = ({ moduleId }: TestSpecification) => {
      const at = long.findIndex((path) => moduleId.endsWith(path))
      return at === -1 ? long.length : at
    }
    return sorted.toSorted((one, other) => rank(one) - rank(other))
  }
}
