import { createHash, randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'

/**
 * Suites that take long and whose tests stand alone: `npm test` takes a third of the tests of each. Every other run takes
 * all of them: `npm run test:all`, the night, and `npx vitest run FILE`.
 */
export const suites: readonly string[] = [
  'test/app/alerts/channels.test.ts',
  'test/app/alerts/createAlertTeller.test.ts',
  'test/app/foreignAllowances.test.ts',
  'test/app/otherNodes.test.ts',
  'test/app/proof.test.ts',
  'test/app/providers.test.ts',
  'test/app/recoverBooks.test.ts',
  'test/app/rollups.test.ts',
  'test/app/writeOff.test.ts',
  'test/bot/allowance/permits.test.ts',
  'test/bot/broadcast/everyEndpoint.test.ts',
  'test/bot/confirm/opaqueCoin.test.ts',
  'test/bot/drive.test.ts',
  'test/bot/journal/archive/archiveJournal.test.ts',
  'test/bot/journal/audit.test.ts',
  'test/bot/journal/ledger.test.ts',
  'test/bot/journal/lease.test.ts',
  'test/bot/journal/locks.test.ts',
  'test/bot/journal/store/accounts.test.ts',
  'test/bot/locked.test.ts',
  'test/bot/outbid.test.ts',
  'test/bot/reconcile/lagging.test.ts',
  'test/bot/reconcile/reconcile.test.ts',
  'test/bot/refusedBids.test.ts',
  'test/bot/schedule/rareFolds.test.ts',
  'test/bot/simulate/hostileNode.test.ts',
  'test/bot/simulate/tip.test.ts',
  'test/bot/simulate/votes.test.ts',
  'test/bot/undecided.test.ts',
  'test/cli/doctor.test.ts',
  'test/cli/frame.test.ts',
  'test/cli/migrate.test.ts',
  'test/cli/postgres.test.ts',
  'test/cli/reconcileDaily.test.ts',
  'test/cli/service.test.ts',
  'test/contract/levels.test.ts',
  'test/crash/crash.test.ts',
  'test/crash/strikes.test.ts',
  'test/dashboard/doors.test.ts',
  'test/deploy/chart.test.ts',
  'test/drill/command.test.ts',
  'test/e2e/killSwitch.test.ts',
  'test/e2e/npx.test.ts',
  'test/e2e/opaque.test.ts',
  'test/e2e/opaqueEnds.test.ts',
  'test/e2e/paper.test.ts',
  'test/e2e/paperParity.test.ts',
  'test/e2e/privately.test.ts',
  'test/e2e/reorg.test.ts',
  'test/engine/turn.test.ts',
  'test/engine/worlds.test.ts',
  'test/faults/process.test.ts',
  'test/fleet/queue.test.ts',
  'test/hostile/config.test.ts',
  'test/hostile/drift.test.ts',
  'test/sandbox/sandbox.test.ts',
  'test/service/http.test.ts',
  'test/service/makers/http/remoteMaker.test.ts',
  'test/site/site.test.ts',
]

/** Files that take long and tell one story: a draw takes a third of them. */
export const stories: readonly string[] = [
  'test/app/deploy/carryOut.test.ts',
  'test/bot/after/sandwich.test.ts',
  'test/bot/allowance/hundredSlots.test.ts',
  'test/bot/displacedApproval.test.ts',
  'test/bot/disputed.test.ts',
  'test/bot/journal/migrateMany.test.ts',
  'test/bot/reconcile/thinned.test.ts',
  'test/browser/demo.test.ts',
  'test/browser/liveScript.test.ts',
  'test/day/day.test.ts',
  'test/day/demo.test.ts',
  'test/day/report.test.ts',
  'test/e2e/crash.test.ts',
  'test/e2e/demo.test.ts',
  'test/e2e/gasTank.test.ts',
  'test/e2e/keys.test.ts',
  'test/e2e/path.test.ts',
  'test/e2e/readiness.test.ts',
  'test/e2e/realChain.test.ts',
  'test/e2e/reload.test.ts',
  'test/e2e/shippedExamples.test.ts',
  'test/engine/leave.test.ts',
  'test/fleet/fleet.test.ts',
  'test/hostile/outside.test.ts',
  'test/hostile/quote.test.ts',
  'test/sandbox/arbitrage.test.ts',
]

/** The mark of a skipped test for the reporter. */
export const leftOutMark = 'isLeftOut'

/** The seed of a draw: any text, or another number each time. */
export const seedOf = (text: string | undefined): string => text || String(randomInt(2 ** 32))

/** The two thirds of some names that a draw leaves out, rounded down. */
export function leftOut(names: readonly string[], seed: string): ReadonlySet<string> {
  const rank = (name: string) => createHash('sha256').update(`${seed} ${name}`).digest('hex')
  const ranked = names
    .map((name) => ({ name, rank: rank(name) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
  return new Set(ranked.slice(Math.ceil(names.length / 3)).map(({ name }) => name))
}

/** The texts that name the rows of the fault matrix which files left out would hit: their own, and for lies of the drill the table of these. */
export function textsOut(files: readonly string[]): readonly string[] {
  const read = (file: string) => readFileSync(`${import.meta.dirname}/../../${file}`, 'utf8')
  const texts = files.map(read)
  return texts.some((text) => text.includes("from './titleOf.ts'"))
    ? [...texts, read('test/faults/rowsOfLies.ts')]
    : texts
}
