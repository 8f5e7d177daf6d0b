import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { z } from 'zod'
import { canonicalJson } from '../../../core/json.ts'
import { recoveredStrategy } from '../../../core/reservedStrategies.ts'
import { fillsMax } from '../../fillsMax.ts'
import type { Fill, Inflight, Memory, Own } from '../../strategy/index.ts'
import { strategyTotals } from '../limits/limits.ts'
import { openIds } from '../store/openIds.ts'
import { prepared } from '../store/prepared.ts'
import type { Tables } from '../store/tables.ts'
import { readPlan } from '../store/text.ts'

/** The facts a strategy's next decision must know. */
type DecisionInputs = Own & {
  /** The memory it wrote with its last decision, if that was made under exactly these parameters. */
  readonly memory: Memory | undefined
  /** Swaps of every strategy that are not decided: what they sell is spoken for. */
  readonly open: readonly Inflight[]
  /** Gas of the newest settled swap of any strategy; undefined before the first. */
  readonly swapGas: bigint | undefined
  /** Block of the newest settled swap of any strategy, and its chain; undefined before the first. */
  readonly settled: { readonly chainId: number; readonly block: number } | undefined
}

/** Everything that the journal knows of a strategy: its open swaps, its newest fills, its totals, its memory. */
export async function inputsOf(
  db: Kysely<Tables>,
  strategy: string,
  params: unknown,
): Promise<DecisionInputs> {
  const open = await openSwapsOf(db)
  return {
    open: open.map(({ swap }) => swap),
    ...(await ownOf(db, strategy, open)),
    memory: await memoryOf(db, strategy, params),
    ...(await newestSettled(db)),
  }
}

async function newestSettled(
  db: Kysely<Tables>,
): Promise<Pick<DecisionInputs, 'swapGas' | 'settled'>> {
  const { rows } = await selectNewest(db, {})
  const [row] = rows
  if (row === undefined) return { swapGas: undefined, settled: undefined }
  const { gas_used: used, included_block: block, plan } = row
  return {
    swapGas: used === null ? undefined : BigInt(used),
    settled:
      block === null ? undefined : { chainId: readPlan(plan).intent.sell.token.chainId, block },
  }
}

const selectNewest = prepared((db) =>
  db
    .selectFrom('swap')
    .select(['gas_used', 'included_block', 'plan'])
    .where(sql<boolean>`state = 'SETTLED'`)
    .orderBy('created_at', 'desc')
    .limit(1),
)

async function ownOf(
  db: Kysely<Tables>,
  strategy: string,
  open: Awaited<ReturnType<typeof openSwapsOf>>,
): Promise<Own> {
  const inflight = open.filter((one) => one.strategy === strategy).map(({ swap }) => swap)
  const fills = await fillsOf(db, strategy)
  return { inflight, lastFill: fills[0], fills, totals: await strategyTotals(db, strategy) }
}

/** Names the parameters a memory belongs to. */
export function hashOfParams(params: unknown): string {
  return createHash('sha256')
    .update(canonicalJson(params ?? null, (text) => text))
    .digest('hex')
}

async function openSwapsOf(db: Kysely<Tables>) {
  const ids = await openIds(db)
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('swap')
    .select(['id', 'strategy', 'plan', 'created_at'])
    .where('id', 'in', ids)
    .execute()
  return rows.map(({ id, strategy, plan, created_at }) => {
    const { sell, buy } = readPlan(plan).intent
    return { strategy, swap: { swapId: id, sell, buy, since: created_at } }
  })
}

/** Its newest fills; with those booked from the chain, which may be its own. */
async function fillsOf(db: Kysely<Tables>, strategy: string): Promise<readonly Fill[]> {
  const { rows: own } = await selectFills(db, { strategy })
  const { rows: recovered } = await selectFills(db, { strategy: recoveredStrategy })
  const rows = [...own, ...(strategy === recoveredStrategy ? [] : recovered)]
    .toSorted((one, other) => other.created_at - one.created_at)
    .slice(0, fillsMax)
  return rows.map(({ plan, sold, received, updated_at }) => {
    const { sell, buy } = readPlan(plan).intent
    return {
      at: updated_at,
      price: {
        sold: { token: sell.token, wei: BigInt(sold ?? 0) },
        bought: { token: buy, wei: BigInt(received ?? 0) },
      },
    }
  })
}

const selectFills = prepared((db, where: { strategy: string }) =>
  db
    .selectFrom('swap')
    .select(['plan', 'sold', 'received', 'created_at', 'updated_at'])
    .where('strategy', '=', where.strategy)
    // In the words of the index over what settled: as a parameter no partial index has it.
    .where(sql<boolean>`state = 'SETTLED'`)
    // What was taken and written off has no price.
    .where('received', '!=', '0')
    .orderBy('created_at', 'desc')
    .limit(fillsMax),
)

const memoryText = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))

async function memoryOf(
  db: Kysely<Tables>,
  strategy: string,
  params: unknown,
): Promise<Memory | undefined> {
  const last = await lastMemory(db, strategy)
  return last?.paramsHash === hashOfParams(params) ? last.memory : undefined
}

/** The memory that a strategy wrote under other parameters with its last decision: under these it begins without. */
export async function forgottenMemory(
  db: Kysely<Tables>,
  strategy: string,
  params: unknown,
): Promise<Memory | undefined> {
  const last = await lastMemory(db, strategy)
  return last?.paramsHash === hashOfParams(params) ? undefined : last?.memory
}

async function lastMemory(db: Kysely<Tables>, strategy: string) {
  const { rows } = await selectMemory(db, { strategy })
  const [row] = rows
  if (row === undefined || row.memory === null) return undefined
  return { paramsHash: row.params_hash, memory: memoryText.parse(JSON.parse(row.memory)) }
}

const selectMemory = prepared((db, where: { strategy: string }) =>
  db
    .selectFrom('decision')
    .select(['memory', 'params_hash'])
    .where('strategy', '=', where.strategy)
    .orderBy('id', 'desc')
    .limit(1),
)
