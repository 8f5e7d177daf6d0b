import { resumeCall } from '../app/calls.ts'
import { type Reconciled, reconcileOnce } from '../app/reconcileWallet.ts'
import { openJournal } from '../bot/journal/openJournal.ts'
import { journalExists } from '../bot/journal/schema/openDatabase.ts'
import { journalName } from '../bot/journal/store/database.ts'
import { lockText } from '../bot/lock/lockText.ts'
import type { ReconcileCheck } from '../bot/reconcile/createTally.ts'
import type { Config } from '../config/config.ts'
import { display, foreignMax } from '../core/display.ts'
import { parseDuration } from '../core/duration.ts'
import { table } from '../core/textLayout.ts'
import { defineCommand } from './command.ts'
import { exitCodes } from './exitCodes.ts'

/** A break is worse than any unknown result. */
const codeOfBreak = 1

export const command = defineCommand({
  name: 'reconcile',
  summary: 'compares the books with the chain, and says where they differ',
  example: 'ballast reconcile --since 7d',
  isForEach: () => true,
  options: {
    since: {
      flags: '--since <duration>',
      summary: 'only what changed within it, such as 7d; without it, everything',
      read: parseDuration,
    },
  },
  config: 'chain',
  async run({ config, options, clock }) {
    const { database, haltFile } = config
    if (!(await journalExists(database))) return { found: undefined }
    await using opened = new AsyncDisposableStack()
    const coin = config.tokens
    const journal = opened.adopt(await openJournal({ database, haltFile, clock, coin }), (one) =>
      one.shut(),
    )
    const since = options.since === undefined ? 0 : Math.max(0, clock.now() - options.since)
    return { found: await reconcileOnce({ config, journal, clock }, since) }
  },
  text: ({ found }, { config, configFile, terminal: { columns } }) =>
    found === undefined
      ? `Nothing to compare yet: there is no journal at ${journalName(config.database)}.`
      : textOf(found, { config, resume: resumeCall(configFile), columns }),
  document: ({ found }, { config }) =>
    found === undefined
      ? { ok: true, wallet: config.wallet.address, checks: [], locks: [] }
      : documentOf(found, config),
  exitCode: ({ found }) => (found === undefined ? exitCodes.done : codeOf(found)),
})

function codeOf({ checks }: Reconciled): number {
  if (checks.some(({ verdict }) => verdict === 'broken')) return codeOfBreak
  return checks.some(({ verdict }) => verdict === 'unknown') ? exitCodes.upstream : exitCodes.done
}

function documentOf(found: Reconciled, { wallet, chain }: Config) {
  const { checks, locks, since, head } = found
  return {
    ok: codeOf(found) === exitCodes.done,
    wallet: wallet.address,
    chain: chain.name,
    since: since === 0 ? null : new Date(since).toISOString(),
    at: head,
    checks: checks.map(({ id, says, verdict, evidence, breaks, unknown, accepted }) => ({
      id,
      says,
      verdict,
      evidence,
      breaks: breaks.map(({ key, code, facts, next }) => ({ key, code, facts, next })),
      unknown,
      accepted,
    })),
    locks: locks.map(lockText),
  }
}

function textOf(
  found: Reconciled,
  { config, resume, columns }: { config: Config; resume: string; columns: number },
): string {
  const { checks, locks, since, head } = found
  const from = since === 0 ? 'everything' : `since ${new Date(since).toISOString()}`
  return [
    `${config.wallet.name} ${config.wallet.address} on ${config.chain.name}, ${from}, ${head}`,
    '',
    table(
      [
        ['check', 'verdict', 'what holds', 'evidence'],
        ...checks.map(({ id, verdict, says, evidence }) => [
          id,
          verdict === 'broken' ? 'BROKEN' : verdict,
          says,
          evidence,
        ]),
      ],
      columns,
    ),
    ...checks.flatMap(details),
    ...locks.map(
      ({ id, kind, scope, code }) =>
        `\nLocked: ${kind} ${scope} (${code}, lock ${id}). Once you know why: ${resume}`,
    ),
  ].join('\n')
}

function details({ id, breaks, unknown, accepted }: ReconcileCheck): readonly string[] {
  return [
    ...breaks.flatMap(({ code, facts, shown, next }) => [
      `\n${id} ${code}`,
      ...Object.entries(facts)
        .filter(([, value]) => value !== undefined)
        .map(
          ([name, value]) => `  ${name}: ${display(shown?.[name] ?? String(value), foreignMax)}`,
        ),
      `  next: ${next}`,
    ]),
    ...unknown.map((why) => `\n${id} unknown: ${display(why, foreignMax)}`),
    ...accepted.map(({ key, reason }) => `\n${key}: released by a person: ${display(reason)}`),
  ]
}
