import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Price } from '../../../core/price.ts'
import { dayMs, hourMs } from '../../../core/spans.ts'
import type { Address } from '../../../core/token.ts'
import type { EndFacts } from '../../stages.ts'
import { isFinal } from '../../state.ts'
import { readFacts } from '../log/facts.ts'
import { approvalPaidAt } from '../store/approvalPaidAt.ts'
import { prepared } from '../store/prepared.ts'
import { bound, type Store, stamped } from '../store/store.ts'
import type { Tables } from '../store/tables.ts'
import { amountText } from '../store/text.ts'

/** The facts that the breakers judge by. */
export const createBreakerFacts = (store: Store) => ({
  ...bound(store, { lastLook, unjudged }),
  ...stamped(store, { endFacts, pricesOfDay, notePrice }),
  ...bound(store, { gasPaid, ends: endsOf }),
})

/** Ends that reflect on the strategy and its service. An abandoned swap reflects on neither. */
const countedEnds = ['SETTLED', 'REVERTED', 'EXPIRED_DEAD', 'DISPLACED', 'REJECTED'] as const

/** Of those, the ones that were signed. */
const signedEnds = ['SETTLED', 'REVERTED', 'EXPIRED_DEAD', 'DISPLACED'] as const

/** Ends without a signed swap, whose approvals cost gas all the same. */
const approvedEnds = ['REJECTED', 'ABANDONED'] as const

/** Those of them that a person or a stop of the process caused, or that stand for an approval which no swap of ours wanted. */
const ownCauses = ['INTERRUPTED', 'LOCKED', 'REVOKED', 'RECOVERED'] as const

/** Looked back at most: more than half an hour of them has; no count is configured above 100. */
const endsMax = 300

/** All that the breakers need of a swap that has ended; undefined for one that has not. */
async function endFacts(
  db: Kysely<Tables>,
  { swapId, at }: { swapId: string; at: number },
): Promise<EndFacts | undefined> {
  const {
    rows: [row],
  } = await selectEnded(db, { swapId })
  if (row === undefined || !isFinal(row.state)) return undefined
  const { strategy, wallet, chain_id: chainId } = row
  const since = {
    strategy: await lookedAt(db, `strategy ${strategy}`, 'REFUSALS'),
    wallet: await lookedAt(db, `wallet ${wallet}`, 'FAILURES'),
  }
  const [strategyEnds, walletEnds, gasPaid, failedChecks] = [
    await runOf((limit) =>
      selectEnds.strategy(db, { chainId, strategy, since: since.strategy, limit }),
    ),
    await walletEndsOf(db, { chainId, wallet, since: since.wallet }),
    await gasPaidSince(db, { chainId, wallet, since: at - dayMs }),
    row.state === 'REJECTED' ? await failedChecksOf(db, swapId) : [],
  ]
  return {
    at,
    id: swapId,
    strategy,
    wallet: wallet as Address,
    swap: {
      state: row.state,
      code: row.code,
      received: row.received === null ? undefined : BigInt(row.received),
      minimum: row.minimum === null ? undefined : BigInt(row.minimum),
      short: row.short === null ? undefined : row.short === 1,
      onlyCostGas: row.state !== 'SETTLED' && walletEnds.some(({ id }) => id === swapId),
      failedChecks,
    },
    strategyEnds,
    walletEnds,
    gasPaid,
  }
}

/**
 * The swap of a wallet on a chain that ended last, unless a breaker has opened a lock since: whoever saw its end may have
 * been killed before it judged it, or was a command that judges none.
 */
async function unjudged(
  db: Kysely<Tables>,
  { chainId, wallet }: Spender,
): Promise<string | undefined> {
  const last = await db
    .selectFrom('swap')
    .select(['id', 'updated_at'])
    .where('chain_id', '=', chainId)
    .where('wallet', '=', wallet.toLowerCase())
    .where('state', 'in', countedEnds)
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (last === undefined) return undefined
  const lock = await db
    .selectFrom('lock')
    .select('id')
    .where('kind', '=', 'breaker')
    .where('opened_at', '>=', last.updated_at)
    .limit(1)
    .executeTakeFirst()
  return lock === undefined ? last.id : undefined
}

const selectEnded = prepared((db, where: { swapId: string }) =>
  db
    .selectFrom('swap')
    .leftJoin('quote', 'quote.swap_id', 'swap.id')
    .select([
      'strategy',
      'swap.chain_id',
      'wallet',
      'state',
      'code',
      'received',
      'short',
      'quote.minimum',
    ])
    .where('swap.id', '=', where.swapId),
)

/** Those that a breaker counts, newest first: it counts down to the first that settled, which is seldom far. */
async function runOf<end extends { readonly state: string }>(
  select: (limit: number) => Promise<{ readonly rows: end[] }>,
): Promise<readonly end[]> {
  const { rows } = await select(fewEnds)
  const isWhole = rows.length < fewEnds || rows.some(({ state }) => state === 'SETTLED')
  return isWhole ? rows : (await select(endsMax)).rows
}

const fewEnds = 10

/** What was signed, and what cost its approvals since the last that settled or the tenth before, newest first. */
async function walletEndsOf(db: Kysely<Tables>, { since, ...owner }: Paid) {
  const signed = await runOf((limit) => selectEnds.wallet(db, { ...owner, since, limit }))
  const settledAt = signed.find(({ state }) => state === 'SETTLED')?.at ?? since
  const from = Math.min(settledAt, signed[fewEnds - 1]?.at ?? since)
  const span = { since: from, approvedSince: from - dayMs }
  const { rows } = await selectEnds.approved(db, { ...owner, ...span, limit: endsMax })
  return [...signed, ...rows].sort((one, other) => other.at - one.at)
}

/** Ends of one chain: what fails on another says nothing of the nodes, the router and the gas of this one. */
type Since = { readonly chainId: number; readonly since: number; readonly limit: number }

const newestEnds = (db: Kysely<Tables>, { chainId, since, limit }: Since) =>
  db
    .selectFrom('swap')
    .select(['id', 'state', 'code', 'updated_at as at'])
    .where('chain_id', '=', chainId)
    .where('updated_at', '>', since)
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)

const selectEnds = {
  strategy: prepared((db, where: Since & { strategy: string }) =>
    newestEnds(db, where).where('strategy', '=', where.strategy).where('state', 'in', countedEnds),
  ),
  wallet: prepared((db, where: Since & { wallet: string }) =>
    newestEnds(db, where).where('wallet', '=', where.wallet).where('state', 'in', signedEnds),
  ),
  approved: prepared((db, where: Since & { wallet: string; approvedSince: number }) =>
    db
      .selectFrom('attempt')
      .innerJoin('swap', 'swap.id', 'attempt.swap_id')
      .select(['swap.id', 'swap.state', 'swap.code', 'swap.updated_at as at'])
      .distinct()
      .where('attempt.wallet', '=', where.wallet)
      .where('attempt.chain_id', '=', where.chainId)
      // By its index; what was approved earlier ended earlier.
      .where('attempt.created_at', '>', where.approvedSince)
      .where('swap.updated_at', '>', where.since)
      // What takes an allowance back later is in the name of the swap that left it; a bid is as old as the first for its nonce.
      .where('attempt.nonce', 'in', (eb) =>
        eb
          .selectFrom('attempt as bid')
          .select('bid.nonce')
          .whereRef('bid.swap_id', '=', 'swap.id')
          .whereRef('bid.created_at', '<=', 'swap.updated_at'),
      )
      .where('attempt.gas_paid', 'is not', null)
      .where('swap.state', 'in', approvedEnds)
      .where('swap.code', 'not in', ownCauses)
      .orderBy('swap.updated_at', 'desc')
      .limit(where.limit),
  ),
}

/** When a person last released such a lock: what came before has been looked at. */
async function lookedAt(db: Kysely<Tables>, scope: string, code: string): Promise<number> {
  const { rows } = await selectReleased(db, { scope, code })
  return rows[0]?.at ?? 0
}

const selectReleased = prepared((db, where: { scope: string; code: string }) =>
  db
    .selectFrom('lock')
    .select(({ fn }) => fn.max('released_at').as('at'))
    .where('scope', '=', where.scope)
    .where('code', '=', where.code),
)

/** What a wallet paid for gas on a chain since an instant, by transaction. The rows have its address in lower case. */
const gasPaid = (db: Kysely<Tables>, { wallet, ...paid }: Paid) =>
  gasPaidSince(db, { ...paid, wallet: wallet.toLowerCase() })

/** The ends on a chain that the breakers count, newest first: those of a strategy, and those of a wallet. */
async function endsOf(
  db: Kysely<Tables>,
  { strategy, chainId, wallet: address }: Spender & { readonly strategy: string },
): Promise<Pick<EndFacts, 'strategyEnds' | 'walletEnds'>> {
  const wallet = address.toLowerCase()
  const [ofStrategy, ofWallet] = [
    await lookedAt(db, `strategy ${strategy}`, 'REFUSALS'),
    await lookedAt(db, `wallet ${wallet}`, 'FAILURES'),
  ]
  return {
    strategyEnds: await runOf((limit) =>
      selectEnds.strategy(db, { chainId, strategy, since: ofStrategy, limit }),
    ),
    walletEnds: await walletEndsOf(db, { chainId, wallet, since: ofWallet }),
  }
}

async function gasPaidSince(db: Kysely<Tables>, paid: Paid): Promise<EndFacts['gasPaid']> {
  const swaps = await selectGas.swaps(db, paid)
  const span = { approvedSince: paid.since - dayMs }
  const approvals = await selectGas.approvals(db, { ...paid, ...span })
  return [...swaps.rows, ...approvals.rows].map(({ at, gas_paid }) => ({
    at,
    wei: BigInt(gas_paid ?? 0),
  }))
}

/** Each chain has a coin of its own. */
type Spender = { readonly chainId: number; readonly wallet: string }

type Paid = Spender & { readonly since: number }

const selectGas = {
  swaps: prepared((db, where: Paid) =>
    db
      .selectFrom('swap')
      .select(['updated_at as at', 'gas_paid'])
      .where('chain_id', '=', where.chainId)
      .where('wallet', '=', where.wallet)
      .where('updated_at', '>', where.since)
      .where('gas_paid', 'is not', null),
  ),
  approvals: prepared((db, where: Paid & { approvedSince: number }) =>
    db
      .selectFrom('attempt')
      .select((eb) => [approvalPaidAt(eb).as('at'), 'gas_paid'])
      .where('chain_id', '=', where.chainId)
      .where('wallet', '=', where.wallet)
      // By its index; what took more than a day to be mined is left out.
      .where('created_at', '>', where.approvedSince)
      .where((eb) => eb(approvalPaidAt(eb), '>', where.since))
      .where('gas_paid', 'is not', null),
  ),
}

async function failedChecksOf(db: Kysely<Tables>, swapId: string): Promise<readonly string[]> {
  const row = await db
    .selectFrom('event')
    .select('facts')
    .where('swap_id', '=', swapId)
    .where('type', '=', 'REJECTED')
    .executeTakeFirst()
  if (row === undefined) return []
  const { checks } = readFacts('rejected', row.facts)
  return checks.filter(({ ok }) => !ok).map(({ name }) => name)
}

const looked = z.object({
  indications: z.array(z.object({ sold: amountText, bought: amountText }).nullable()),
})

/** The prices a strategy saw at its last look, in the order of its watches; undefined before the first. */
async function lastLook(
  db: Kysely<Tables>,
  { strategy }: { strategy: string },
): Promise<{ at: number; prices: readonly (Price | undefined)[] } | undefined> {
  const { rows } = await selectLook(db, { strategy })
  const [row] = rows
  if (row === undefined) return undefined
  const { indications } = looked.parse(JSON.parse(row.last_seen ?? row.context))
  return { at: row.last_at ?? row.at, prices: indications.map((one) => one ?? undefined) }
}

const selectLook = prepared((db, where: { strategy: string }) =>
  db
    .selectFrom('decision')
    .select(['at', 'context', 'last_at', 'last_seen'])
    .where('strategy', '=', where.strategy)
    .orderBy('id', 'desc')
    .limit(1),
)

/** A kept price, and the scope of the locks of its pair. */
type Seen = { readonly price: Price; readonly scope: string; readonly at: number }

/** The hour a price is kept under. A day goes back to the same hour of yesterday, so that a daily slot finds it. */
const hourOf = (at: number) => Math.floor(at / hourMs)
const hoursOfDay = 24

const pairOf = ({ sold, bought }: Price) => ({
  chain_id: sold.token.chainId,
  sell_token: sold.token.address.toLowerCase(),
  buy_token: bought.token.address.toLowerCase(),
})

/**
 * Prices of the same pair in the last day, one for each hour in which one was seen, oldest first; and whether this hour
 * has one. What came before a person last released a drift of the pair is left out.
 */
async function pricesOfDay(
  db: Kysely<Tables>,
  { price, scope, at }: Seen,
): Promise<{ readonly before: readonly Price[]; readonly hasHour: boolean }> {
  const pair = pairOf(price)
  const rows = await db
    .selectFrom('price')
    .select(['hour', 'at', 'sold', 'bought'])
    .where('chain_id', '=', pair.chain_id)
    .where('sell_token', '=', pair.sell_token)
    .where('buy_token', '=', pair.buy_token)
    .where('hour', '>=', hourOf(at) - hoursOfDay)
    .orderBy('hour')
    .execute()
  const released = await lookedAt(db, scope, 'PRICE_DRIFT')
  const known = rows.filter((row) => row.at > released)
  return {
    before: known.map(({ sold, bought }) => ({
      sold: { token: price.sold.token, wei: BigInt(sold) },
      bought: { token: price.bought.token, wei: BigInt(bought) },
    })),
    hasHour: known.some(({ hour }) => hour === hourOf(at)),
  }
}

/** Keeps a price as that of its hour. A person who released the drift wants the one seen after that. */
async function notePrice(db: Kysely<Tables>, { price, at }: Omit<Seen, 'scope'>): Promise<void> {
  const seen = { at, sold: price.sold.wei.toString(), bought: price.bought.wei.toString() }
  await db.transaction().execute((trx) =>
    trx
      .insertInto('price')
      .values({ ...pairOf(price), hour: hourOf(at), ...seen })
      .onConflict((conflict) =>
        conflict.columns(['chain_id', 'sell_token', 'buy_token', 'hour']).doUpdateSet(seen),
      )
      .execute(),
  )
}
