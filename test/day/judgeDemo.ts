import { DatabaseSync } from 'node:sqlite'
import { demoStrategies } from '../../src/sandbox/demoMarket.ts'
import { openDay } from './openDay.ts'
import type { runDay } from './runDay.ts'

const hourMs = 3_600_000

/** What hours of the demo came to, and everything by which it would end or stand still. */
export function judgeDemo(day: Awaited<ReturnType<typeof runDay>>, { hours }: { hours: number }) {
  const { journal, endedAt, exits, reconcile, audit, held, heldBefore } = day
  const books = openDay(journal)
  const db = new DatabaseSync(journal, { readOnly: true })
  try {
    const settled = db.prepare(
      "SELECT count(*) AS count FROM swap WHERE strategy = ? AND state = 'SETTLED' AND created_at >= ?",
    )
    const settledSince = (strategy: string, since: number) =>
      Number(settled.get(strategy, since)?.count)
    const refused = db
      .prepare(
        "SELECT strategy, code FROM refusal UNION ALL SELECT strategy, code FROM swap WHERE state = 'ABANDONED'",
      )
      .all() as { strategy: string; code: string }[]
    const last = db
      .prepare(
        "SELECT strategy, coalesce(last_reason, reason) AS reason FROM decision WHERE id IN (SELECT max(id) FROM decision GROUP BY strategy) AND kind = 'postpone'",
      )
      .all() as { strategy: string; reason: string }[]
    const names = demoStrategies.map(({ name }) => name)
    const lastHour = Object.fromEntries(
      names.map((name) => [name, settledSince(name, endedAt - hourMs)]),
    )
    const gasPaid = Number((heldBefore.ETH ?? 0n) - (held.ETH ?? 0n))
    const gasDays = (Number(held.ETH ?? 0n) / gasPaid) * (hours / 24)
    const breaks = [
      ...(exits.join() === '0' ? [] : [`exits: ${exits.join()}`]),
      ...(reconcile.code === 0 ? [] : [`reconcile: ${reconcile.stdout}${reconcile.stderr}`]),
      ...(audit.code === 0 ? [] : [`audit: ${audit.stdout}${audit.stderr}`]),
      ...books.locks.map(({ kind, code, reason }) => `${kind} ${code}: ${reason}`),
      ...names
        .filter((name) => lastHour[name] === 0)
        .map((name) => `${name}: no swap in the last hour`),
      // A limit, a balance, or the price of gas: what a demo must be made for.
      ...refused
        .filter(({ code }) => /^POLICY|GAS|BALANCE|FUNDS/.test(code))
        .map(({ strategy, code }) => `${strategy}: ${code}`),
      ...last
        .filter(({ reason }) => /is not known|turned over|holds/i.test(reason))
        .map(({ strategy, reason }) => `${strategy}: ${reason}`),
      ...(gasDays > 30 ? [] : [`gas for ${gasDays} days`]),
    ]
    const all = Object.fromEntries(names.map((name) => [name, settledSince(name, 0)]))
    return { settled: all, lastHour, gasDays, refused, breaks }
  } finally {
    db.close()
    books.close()
  }
}
