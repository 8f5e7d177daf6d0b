import { hostname } from 'node:os'
import { advisoryKeys } from '../../bot/journal/store/postgres/advisoryKeys.ts'
import { secondMs } from '../../core/spans.ts'
import type { Queue } from './openQueue.ts'

/** What a process of a fleet does. */
export const roles = ['all', 'scheduler', 'worker', 'dashboard'] as const
export type Role = (typeof roles)[number]

/** A process of the fleet, as the others see it. Times by the server's clock. */
export type Member = {
  readonly id: string
  readonly role: Role
  /** Names of the wallets that it trades. */
  readonly wallets: readonly string[]
  /** Those of them of which a dead-man switch is to hear nothing: an unseen market, channels that all refuse, an untold lock. */
  readonly blind: readonly string[]
}

/** Longer than a process that is well ever stays silent; shorter than anything that is decided by it takes. */
const awayMs = 10 * secondMs

/** The list of the processes of a fleet, in the database of its queue. Wallets are shared out by their number. */
export async function joinFleet({ ask }: Queue, { role, nonce }: { role: Role; nonce: string }) {
  const id = `${hostname()}:${process.pid}:${nonce}`
  // Processes start together, and two that make one table at once fail.
  await ask(`BEGIN; SELECT pg_advisory_xact_lock(${advisoryKeys.fleet});
    CREATE TABLE IF NOT EXISTS ballast_queue.member
      (id text PRIMARY KEY, role text NOT NULL, wallets text[] NOT NULL, blind text[] NOT NULL, seen_at timestamptz NOT NULL);
    COMMIT`)
  return {
    id,
    /** Says that this process is there, and what it trades. */
    async beat(wallets: readonly string[], blind: readonly string[] = []): Promise<void> {
      await ask(
        `INSERT INTO ballast_queue.member VALUES ($1, $2, $3, $4, clock_timestamp())
         ON CONFLICT (id) DO UPDATE
         SET wallets = excluded.wallets, blind = excluded.blind, seen_at = excluded.seen_at`,
        [id, role, wallets, blind],
      )
    },
    /** Those that are there. */
    async present(): Promise<readonly Member[]> {
      const rows = await ask(
        `SELECT id, role, wallets, blind FROM ballast_queue.member
         WHERE seen_at > clock_timestamp() - $1 * interval '1 millisecond' ORDER BY id`,
        [awayMs],
      )
      return rows as unknown as readonly Member[]
    },
    /** It is not there any more: the others share out what it had. */
    async leave(): Promise<void> {
      await ask(
        `DELETE FROM ballast_queue.member
         WHERE id = $1 OR seen_at < clock_timestamp() - interval '1 day'`,
        [id],
      )
    },
  }
}
