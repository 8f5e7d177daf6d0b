import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { isFinal, type SwapState } from '../../src/bot/state.ts'

export type SwapRow = {
  readonly id: string
  readonly state: SwapState
  readonly code: string | null
  readonly nonce: number | null
  readonly sell_token: string
  readonly buy_token: string | null
  readonly sold: string | null
  readonly received: string | null
  readonly gas_paid: string | null
  readonly authorization: string | null
}
export type AttemptRow = {
  readonly hash: string
  readonly swap_id: string
  readonly kind: string
  readonly nonce: number
  readonly closed_at_block: number | null
  readonly gas_paid: string | null
}

/** What the journal of a bot says, dead or alive, read by its own tables and not by the bot's code. */
export type JournalRows = {
  readonly swaps: readonly SwapRow[]
  readonly attempts: readonly AttemptRow[]
  readonly nextNonce: number | undefined
  /** Kinds and codes of the locks that hold. */
  readonly locks: readonly string[]
}

const nothing: JournalRows = { swaps: [], attempts: [], nextNonce: undefined, locks: [] }

export function readJournal(path: string): JournalRows {
  if (!existsSync(path)) return nothing
  const file = new DatabaseSync(path, { readOnly: true, timeout: 2_000 })
  try {
    const tables = file.prepare("select name from sqlite_master where type = 'table'").all()
    if (!tables.some(({ name }) => name === 'lock')) return nothing
    const all = (sql: string) => file.prepare(sql).all() as never
    const [wallet] = all('select next_nonce from wallet') as { next_nonce: number }[]
    const locks: { kind: string; code: string }[] = all(
      'select kind, code from lock where released_at is null',
    )
    return {
      swaps: all(
        `select swap.*, quote.authorization from swap left join quote on quote.swap_id = swap.id
         order by swap.created_at`,
      ),
      attempts: all('select hash, swap_id, kind, nonce, closed_at_block, gas_paid from attempt'),
      nextNonce: wallet?.next_nonce,
      locks: locks.map(({ kind, code }) => `${kind} ${code}`),
    }
  } finally {
    file.close()
  }
}

/** Whether nothing is left to find out. */
export const isDecided = ({ swaps, attempts }: JournalRows) =>
  swaps.every(({ state }) => isFinal(state)) &&
  attempts.every(({ kind, closed_at_block }) => kind !== 'APPROVE' || closed_at_block !== null)
