import { resumeCall } from '../app/calls.ts'
import { type Reconciled, reconcileWallet } from '../app/reconcileWallet.ts'
import { openJournal } from '../bot/journal/openJournal.ts'
import { journalExists } from '../bot/journal/schema/openDatabase.ts'
import { journalName } from '../bot/journal/store/database.ts'
import { lockText } from '../bot/lock/lockText.ts'
import type { ReconcileCheck } from '../bot/reconcile/createTally.ts'
import { getChainId } from '../chain/calls/node.ts'
import { createRpc } from '../chain/rpc/createRpc.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { withRetries } from '../chain/rpc/withRetries.ts'
import type { Config } from '../config/config.ts'
import { display, foreignMax } from '../core/display.ts'
import { parseDuration } from '../core/duration.ts'
import { BallastError, ballastError } from '../core/errors.ts'
import { table } from '../core/textLayout.ts'
import { defineCommand } from './command.ts'
import { exitCodes } from './exitCodes.ts'

/** A break is worse than anything that could not be told. */
const codeOfBreak = 1

export const command = defineCommand({
  name: 'reconcile',
  summary: 'compares the books with the chain, and says where they differ',
  example: 'ballast reconcile --since 7d',
  options: {
    since: {
      flags: '--since <duration>',
      summary: 'only what changed within it, such as 7d; without it, everything',
      read: parseDuration,
    },
  },
  async run({ config: load, configFile, options, clock, json, terminal }) {
    const config = await load('chain')
    const { database, haltFile } = config
    if (!(await journalExists(database))) {
      if (json) terminal.json({ ok: true, wallet: config.wallet.address, checks: [], locks: [] })
      else terminal.out(`Nothing to compare yet: there is no journal at ${journalName(database)}.`)
      return exitCodes.done
    }
    const journal = await openJournal({
      database,
      haltFile,
      clock,
      coin: config.tokens,
    })
    const rpc = withRetries(createRpc({ url: config.chain.rpcUrl.reveal() }))
    try {
      await assertChain(config, rpc)
      const since = options.since === undefined ? 0 : Math.max(0, clock.now() - options.since)
      const { books } = journal
      const logDefects = since === 0 ? books.logDefects : books.recentLogDefects
      const found = await reconcileWallet({ config, rpc, journal, clock }, { since, logDefects })
      if (json) terminal.json(documentOf(found, config))
      else terminal.out(textOf(found, { config, resume: resumeCall(configFile) }))
      return codeOf(found)
    } finally {
      await rpc.close()
      await journal.shut()
    }
  },
})

/** Another chain knows nothing of these books. One that does not answer is what the report is for. */
async function assertChain({ chain, locate }: Config, rpc: Rpc): Promise<void> {
  const found = await rpc.request(getChainId).catch((error: unknown) => {
    if (error instanceof BallastError && error.fault === 'upstream') return chain.chainId
    throw error
  })
  if (found === chain.chainId) return
  const at = locate(['chain', 'chainId'])
  throw ballastError(
    'WRONG_CHAIN',
    `The RPC endpoint serves chain ${found}, but ${at} says ${chain.chainId}: correct one of them.`,
    { endpoint: rpc.label },
  )
}

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

function textOf(found: Reconciled, { config, resume }: { config: Config; resume: string }): string {
  const { checks, locks, since, head } = found
  const from = since === 0 ? 'everything' : `since ${new Date(since).toISOString()}`
  return [
    `${config.wallet.name} ${config.wallet.address} on ${config.chain.name}, ${from}, ${head}`,
    '',
    table([
      ['check', 'verdict', 'what holds', 'evidence'],
      ...checks.map(({ id, verdict, says, evidence }) => [
        id,
        verdict === 'broken' ? 'BROKEN' : verdict,
        says,
        evidence,
      ]),
    ]),
    ...checks.flatMap(details),
    ...locks.map(
      ({ id, kind, scope, code }) =>
        `\nLocked: ${kind} ${scope} (${code}, lock ${id}). Once you know why: ${resume}`,
    ),
  ].join('\n')
}

function details({ id, breaks, unknown, accepted }: ReconcileCheck): readonly string[] {
  return [
    ...breaks.flatMap(({ code, facts, next }) => [
      `\n${id} ${code}`,
      ...Object.entries(facts)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => `  ${name}: ${display(String(value), foreignMax)}`),
      `  next: ${next}`,
    ]),
    ...unknown.map((why) => `\n${id} unknown: ${display(why, foreignMax)}`),
    ...accepted.map(({ key, reason }) => `\n${key}: released by a person: ${display(reason)}`),
  ]
}
