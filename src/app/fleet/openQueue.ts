import { PgBoss } from 'pg-boss'
import { journalName, type ServerDatabase } from '../../bot/journal/store/database.ts'
import {
  connectionOf,
  journalUnreachable,
  limitsOf,
} from '../../bot/journal/store/postgres/openPool.ts'
import type { Log } from '../../bot/report/createLog.ts'
import { hourMs, secondMs } from '../../core/spans.ts'

/** A wallet that this process was given. */
export type Taken = {
  readonly wallet: string
  /** Says that this process is there; false where the wallet was given to another. */
  keep(): Promise<boolean>
  /** Gives it back: any process may take it at once. */
  release(): Promise<void>
  /** Gives it back after a failure: any process may take it after a while, which grows with every failure. */
  postpone(): Promise<void>
}

/** Gives out the wallets of a fleet: each to one process at a time. */
export type Queue = {
  /** Makes sure that each of the wallets waits for a process, or has one. */
  offer(wallets: readonly string[]): Promise<void>
  /** A wallet that no process has; undefined where there is none. */
  take(): Promise<Taken | undefined>
  /** Rows of a query in the database of the queue. */
  ask(sql: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>
  close(): Promise<void>
}

const name = 'wallet'

/** After this time a wallet is given back at a quiet moment, and opened anew: what a start checks is checked again. */
export const shiftMs = 12 * hourMs

const terms = {
  // One job for each wallet, waiting or taken.
  policy: 'exclusive',
  // The least that pg-boss takes: shorter than the lease of a wallet, which the next process waits for.
  heartbeatSeconds: 10,
  expireInSeconds: (2 * shiftMs) / secondMs - 1,
  retryLimit: 1_000_000,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 15,
  deleteAfterSeconds: hourMs / secondMs,
} as const

/**
 * Opens the queue in the database of the journals. It only shares out work: a process that has a wallet, or believes so,
 * writes nothing of it without the wallet's lease. `watches` for processes that are gone, and gives out what they had.
 */
export async function openQueue({
  database,
  watches,
  log,
}: {
  database: ServerDatabase
  watches: boolean
  log: Log
}): Promise<Queue> {
  const { types: _, ...connection } = connectionOf(database.url)
  const boss = new PgBoss({
    ...(connection as object),
    ...limitsOf(),
    schema: 'ballast_queue',
    max: 2,
    schedule: false,
    supervise: watches,
    superviseIntervalSeconds: 1,
    monitorIntervalSeconds: 1,
  })
  // The server is away: each call says so itself, and the next one may go well.
  boss.on('error', (error) => log.warn({ err: error }, 'the queue cannot be reached'))
  try {
    await boss.start()
    await boss.createQueue(name, terms)
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => undefined)
    throw journalUnreachable(journalName(database), error)
  }
  return {
    async offer(wallets) {
      await boss.insert(
        name,
        wallets.map((wallet) => ({ data: { wallet }, singletonKey: wallet })),
      )
    },
    async take() {
      const [job] = await boss.fetch<{ wallet: string }>(name, { includeMetadata: true })
      if (job === undefined) return undefined
      // The attempt, and not the job alone: who lost it changes nothing of the next one.
      const attempt = { id: job.id, retryCount: job.retryCount }
      return {
        wallet: job.data.wallet,
        async keep() {
          // The types of pg-boss leave out what it answers.
          const { affected } = (await boss.touch(name, attempt)) as { affected?: number }
          return affected === 1
        },
        release: async () => void (await boss.complete(name, attempt)),
        postpone: async () => void (await boss.fail(name, attempt)),
      }
    },
    ask: async (sql, values = []) => (await boss.getDb().executeSql(sql, [...values])).rows,
    close: () => boss.stop({ graceful: false }),
  }
}
