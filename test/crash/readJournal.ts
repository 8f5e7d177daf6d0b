import { isFinal, type SwapState } from '../../src/bot/state.ts'

type SwapRow = {
  readonly id: string
  readonly strategy: string
  /** Of its calendar; null where it has none. Text from a server. */
  readonly slot: number | string | null
  readonly state: SwapState
  readonly code: string | null
  readonly nonce: number | null
  /** Unix seconds; text from a server. */
  readonly deadline: number | string | null
  readonly sell_token: string
  readonly buy_token: string | null
  readonly sold: string | null
  readonly received: string | null
  readonly gas_paid: string | null
  readonly authorization: string | null
}
type AttemptRow = {
  readonly hash: string
  readonly swap_id: string
  readonly kind: string
  readonly closed_at_block: number | string | null
  readonly gas_paid: string | null
}

type SlotRow = {
  readonly strategy: string
  readonly slot: number | string
  /** The last of a run of slots that was closed at once. */
  readonly upto: number | string
  readonly state: string
}

/** What the journal of a bot says, dead or alive, read by its own tables and not by the bot's code. */
export type JournalRows = {
  readonly swaps: readonly SwapRow[]
  readonly attempts: readonly AttemptRow[]
  readonly slots: readonly SlotRow[]
  readonly nextNonce: number | undefined
  /** Kinds and codes of the locks that hold. */
  readonly locks: readonly string[]
}

export const noRows: JournalRows = {
  swaps: [],
  attempts: [],
  slots: [],
  nextNonce: undefined,
  locks: [],
}

export async function readJournal(
  select: (sql: string) => Promise<readonly unknown[]>,
): Promise<JournalRows> {
  const all = async <row>(sql: string) => (await select(sql)) as readonly row[]
  const [wallet] = await all<{ next_nonce: number | string }>('select next_nonce from wallet')
  const locks = await all<{ kind: string; code: string }>(
    'select kind, code from lock where released_at is null',
  )
  return {
    swaps: await all(
      `select swap.*, quote.authorization from swap left join quote on quote.swap_id = swap.id
       order by swap.created_at`,
    ),
    attempts: await all('select hash, swap_id, kind, closed_at_block, gas_paid from attempt'),
    slots: await all('select strategy, slot, upto, state from slot'),
    nextNonce: wallet && Number(wallet.next_nonce),
    locks: locks.map(({ kind, code }) => `${kind} ${code}`),
  }
}

/** Whether nothing is left to find out. */
export const isDecided = ({ swaps, attempts }: JournalRows) =>
  swaps.every(({ state }) => isFinal(state)) &&
  attempts.every(({ kind, closed_at_block }) => kind !== 'APPROVE' || closed_at_block !== null)
