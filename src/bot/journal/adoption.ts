import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Adoption, BooksScope } from '../books.ts'
import type { Tables } from './tables.ts'

const told = z.object({ nonceOfChain: z.int(), reason: z.string().default('') })

/** From which nonce on a wallet is ours, and which of its nonces a person released since. */
export async function adoption(
  db: Kysely<Tables>,
  { chainId, wallet }: BooksScope,
): Promise<Adoption> {
  const address = wallet.toLowerCase()
  const known = await db
    .selectFrom('wallet')
    .select(['next_nonce', 'adopted_nonce'])
    .where('chain_id', '=', chainId)
    .where('address', '=', address)
    .executeTakeFirst()
  const events = await db
    .selectFrom('event')
    .select(['at', 'facts'])
    .where('swap_id', 'in', [`wallet ${wallet}`, `wallet ${address}`])
    .where('type', '=', 'RELEASED')
    .orderBy('seq')
    .execute()
  const first = await db
    .selectFrom('attempt')
    .select(({ fn }) => fn.min('nonce').as('nonce'))
    .where('chain_id', '=', chainId)
    .where('wallet', '=', address)
    .executeTakeFirst()
  // Wallets taken in before that was written down begin with their first attempt.
  const nonce = known?.adopted_nonce ?? first?.nonce ?? known?.next_nonce

  const releases: Adoption['releases'][number][] = []
  for (const { at, facts } of events) {
    const { nonceOfChain, reason } = told.parse(JSON.parse(facts))
    const last = await db
      .selectFrom('attempt')
      .select(({ fn }) => fn.max('nonce').as('nonce'))
      .where('chain_id', '=', chainId)
      .where('wallet', '=', address)
      .where('created_at', '<=', at)
      .executeTakeFirst()
    const given = last?.nonce ?? undefined
    const from = Math.max(nonce ?? 0, given === undefined ? 0 : given + 1, releases.at(-1)?.to ?? 0)
    releases.push({ from, to: nonceOfChain, at, reason })
  }
  return { nonce, nextNonce: known?.next_nonce, releases }
}
