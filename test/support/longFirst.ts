import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Take minutes, and mostly wait, for blocks or for the end of a time limit. */
const waiting = [
  'test/bot/reconcile/reconcile.test.ts',
  'test/app/providers.test.ts',
  'test/bot/drive.test.ts',
  'test/bot/outbid.test.ts',
  'test/cli/postgres.test.ts',
  'test/e2e/readiness.test.ts',
  'test/e2e/paperParity.test.ts',
  'test/engine/worlds.test.ts',
  'test/e2e/reorg.test.ts',
  'test/app/recoverBooks.test.ts',
  'test/e2e/privately.test.ts',
  'test/bot/locked.test.ts',
  'test/bot/broadcast/privately.test.ts',
  'test/e2e/opaqueEnds.test.ts',
  'test/service/makers/http/remoteMaker.test.ts',
  'test/bot/reconcile/lagging.test.ts',
  'test/bot/simulate/votes.test.ts',
  'test/cli/migrate.test.ts',
  'test/cli/doctor.test.ts',
  'test/app/writeOff.test.ts',
  'test/bot/reconcile/thinned.test.ts',
  'test/engine/turn.test.ts',
  'test/e2e/swap.test.ts',
  'test/hostile/drift.test.ts',
  'test/bot/simulate/tokens.test.ts',
  'test/bot/simulate/tip.test.ts',
  'test/bot/broadcast/everyEndpoint.test.ts',
]

/** Short files that take long and compute. */
const computing = [
  'test/model/decisions.test.ts',
  'test/crash/strikes.test.ts',
  'test/fleet/fleet.test.ts',
  'test/contracts/forge.test.ts',
  'test/day/day.test.ts',
  'test/install.test.ts',
  'test/browser/demo.test.ts',
  'test/faults/process.test.ts',
  'test/e2e/killSwitch.test.ts',
  'test/hostile/outside.test.ts',
  'test/crash/crash.test.ts',
  'test/site/walk.test.ts',
  'test/site/site.test.ts',
  'test/simulator/mutants.test.ts',
  'test/bot/verify/mutation.test.ts',
  'test/day/demo.test.ts',
  'test/e2e/demo.test.ts',
  'test/e2e/realChain.test.ts',
  'test/e2e/paper.test.ts',
  'test/ownStrategy.test.ts',
  'test/cli/replay.test.ts',
  'test/cli/exitCodes.test.ts',
  'test/bot/sign/keystore.test.ts',
  'test/cli/key.test.ts',
]

const waitingAtOnce = 3
const computingAtOnce = 4

/**
 * The order of a fresh clone: the files that take minutes, then the others; and of those that wait, three at a time. Begun
 * together they leave the cores idle, and begun last they are waited for alone.
 *
 * Before them what needs no chain, project by project: a worker goes on with the next file only where that is of the same
 * project, and is begun anew otherwise, with everything to load.
 */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isChain = ({ project }: TestSpecification) => project.name === 'chain'
    const isFirst = ({ project }: TestSpecification) => project.config.sequence.groupOrder === 0
    const isOf = (list: readonly string[]) => (file: TestSpecification) =>
      placeIn(list, file) < list.length
    const chain = sorted.filter(isChain)
    const slow = chain.filter(isOf(waiting)).toSorted(byPlaceIn(waiting))
    const busy = chain.filter(isOf(computing)).toSorted(byPlaceIn(computing))
    const rest = chain.filter((file) => !isOf(waiting)(file) && !isOf(computing)(file))
    const others = [...busy, ...fromBothEnds(rest)]
    const begin = [...slow.splice(0, waitingAtOnce), ...others.splice(0, computingAtOnce)]
    // One that waits takes about twice as long as one that computes.
    const mixed = slow.flatMap((file) => [...others.splice(0, 2), file])
    const apart = sorted
      .filter((file) => !isChain(file))
      .toSorted(byProjectThen(byPlaceIn(computing)))
    return [
      ...apart.filter(isFirst),
      ...apart.filter((file) => !isFirst(file)),
      ...begin,
      ...mixed,
      ...others,
    ]
  }
}

type Order = (one: TestSpecification, other: TestSpecification) => number

/** Those that replace modules have a worker each, and come first: the longest of them takes minutes. */
const byProjectThen =
  (order: Order): Order =>
  (one, other) =>
    other.project.name.localeCompare(one.project.name) || order(one, other)

/** The largest, the smallest, the next: a large file has a chain to wait for more often than a small one. */
const fromBothEnds = (files: readonly TestSpecification[]): readonly TestSpecification[] => {
  const half = Math.ceil(files.length / 2)
  const small = files.slice(half).toReversed()
  return files.slice(0, half).flatMap((large, index) => [large, ...small.slice(index, index + 1)])
}

function placeIn(list: readonly string[], { moduleId }: TestSpecification): number {
  const at = list.findIndex((path) => moduleId.endsWith(path))
  return at === -1 ? list.length : at
}

const byPlaceIn =
  (list: readonly string[]): Order =>
  (one, other) =>
    placeIn(list, one) - placeIn(list, other)
