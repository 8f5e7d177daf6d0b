import type { WrittenDecision } from '../../bot/journal/decisions/decisions.ts'
import { reviveContext, reviveDecision } from '../../bot/journal/decisions/revive.ts'
import { budgetsOf } from '../../bot/strategy/budgetsOf.ts'
import type { Target } from '../../bot/strategy/index.ts'
import type { LoadedStrategy } from '../../bot/strategy/load.ts'
import { type Amount, toText } from '../../core/amount.ts'
import { formatDecimal } from '../../core/decimal.ts'
import { BallastError } from '../../core/errors.ts'
import { isoText } from '../../core/isoText.ts'
import { compactJson } from '../../core/json.ts'
import type { Price } from '../../core/price.ts'
import { dayMs } from '../../core/spans.ts'
import { sameToken, type Token } from '../../core/token.ts'
import type {
  DecisionView,
  PriceChartView,
  StrategyDetailView,
  TargetView,
} from '../../dashboard/views.ts'
import { boundsOf } from '../../story/comparisonsOf.ts'
import { strategyView } from '../reading/journalViews.ts'
import type { Served } from './served.ts'

/** Decisions listed on a page, and those that its chart is drawn of. */
const listedMax = 30
const drawnMax = 150

/** Missed and failed slots listed. */
const undoneMax = 20

type Asked = { readonly name: string; readonly before: number | undefined }

/** One strategy with its decisions, prices, parameters and slots; undefined where none of that name runs. */
export async function strategyDetail(
  served: Served,
  { name, before }: Asked,
): Promise<StrategyDetailView | undefined> {
  const { journal, strategies, clock } = served
  const loaded = strategies().find((one) => one.name === name)
  if (loaded === undefined) return undefined
  const now = clock.now()
  const rows = await journal.decisions.newest({ strategy: name, limit: listedMax, before })
  const drawn = await journal.decisions.newest({ strategy: name, limit: drawnMax })
  const undone = await journal.slots.missedAndFailed({
    ...{ since: 0, limit: undoneMax, strategy: name },
  })
  const own = await journal.decisions.inputs(name, loaded.params)
  const { totals, fills } = own
  return {
    ...strategyView(loaded, { latest: await journal.decisions.latest(), now }),
    budgets: budgetsOf(loaded, own).map(({ key, most, spent }) => ({
      ...{ name: `params.${key}`, used: toText(spent), most: toText(most) },
    })),
    // What was taken and written off has no price.
    chart: chartOf(
      drawn,
      fills.filter(({ price }) => price.bought.wei > 0n),
    ),
    totals: totals.map(({ sold, bought, swaps, recovered = false }) => ({
      ...{ sold: toText(sold), received: toText(bought), swaps, recovered },
    })),
    decisions: await Promise.all(rows.map((row) => decisionOf(row, served))),
    older: rows.length === listedMax ? (rows.at(-1)?.id ?? null) : null,
    versions: await versionsOf(served, name),
    undone: undone.map(({ slot, slots, state, reason }) => ({
      ...{ at: isoText(slot), slots, state, reason },
    })),
  }
}

async function decisionOf(row: WrittenDecision, { journal }: Served): Promise<DecisionView> {
  const { id, at, kind, reason, looks, last_at, last_reason } = row
  return {
    ...{ number: id, at: isoText(at), lastAt: last_at === null ? null : isoText(last_at) },
    ...{ looks, decided: kind, reason: last_reason ?? reason },
    refused: await journal.decisions.refusals(id),
  }
}

/** Each set of parameters with the text of the first decision under it; the newest ones. */
async function versionsOf({ journal }: Served, name: string) {
  const known = (await journal.decisions.paramsHistory(name)).slice(0, undoneMax)
  return Promise.all(
    known.map(async ({ hash, first, since }) => {
      const [written] = await journal.decisions.find({ id: first }).catch(noneWhereArchived)
      const { params } = JSON.parse(written?.context || '{}') as { params?: unknown }
      return {
        hash,
        since: isoText(since),
        params: params === undefined ? null : compactJson(params),
      }
    }),
  )
}

function noneWhereArchived(error: unknown): readonly WrittenDecision[] {
  if (error instanceof BallastError && error.code === 'ARCHIVE_MISSING') return []
  throw error
}

/** The price of the first market that it watches, what it was held to, and what came of it; null without prices. */
function chartOf(
  drawn: readonly WrittenDecision[],
  fills: readonly { readonly at: number; readonly price: Price }[],
): PriceChartView | null {
  // Those whose body is in an archive that is not at hand have nothing to draw.
  const looks = drawn
    .filter(({ context }) => context !== '')
    .reverse()
    .map((row) => ({
      row,
      context: reviveContext(row.context),
      decision: reviveDecision(row.decision),
    }))
  const last = looks.findLast(({ context }) => context.indications.some((one) => one !== undefined))
  if (last === undefined) return null
  const index = last.context.indications.findIndex((one) => one !== undefined)
  const market = last.context.indications[index]
  if (market === undefined) return null
  const { sold, bought } = market
  // Under the same name a strategy may have watched another pair before.
  const own = (price: Price | undefined) =>
    price !== undefined && isAlong(price, [sold.token, bought.token]) ? price : undefined
  const points = looks.flatMap(({ row, context }) =>
    pointOf(row.at, own(context.indications[index])),
  )
  const from = looks[0]?.row.at ?? 0
  return {
    sell: sold.token.symbol,
    buy: bought.token.symbol,
    points,
    references: looks.flatMap(({ row, context }) =>
      pointOf(row.at, own(context.references[index])),
    ),
    bounds: boundsOf(last.context, last.decision, market).flatMap(({ name, price }) => {
      const rate = rateOf(price)
      return rate === undefined ? [] : { name, rate }
    }),
    marks: [
      ...looks.flatMap(({ row, context }) =>
        row.kind === 'swap'
          ? pointOf(row.at, own(context.indications[index])).map((one) => ({
              ...one,
              kind: 'wish' as const,
            }))
          : [],
      ),
      ...fills
        .filter(({ at, price }) => at >= from && isAlong(price, [sold.token, bought.token]))
        .flatMap(({ at, price }) =>
          pointOf(at, price).map((one) => ({ ...one, kind: 'fill' as const })),
        ),
    ],
  }
}

const isAlong = ({ sold, bought }: Price, [sell, buy]: readonly [Token, Token]) =>
  sameToken(sold.token, sell) && sameToken(bought.token, buy)

function pointOf(at: number, price: Price | undefined) {
  const rate = price === undefined ? undefined : rateOf(price)
  return rate === undefined ? [] : [{ at: isoText(at), rate }]
}

/** How many whole bought tokens a whole sold one brings: to draw, not to reckon with. */
function rateOf({ sold, bought }: Price): number | undefined {
  const whole = ({ token, wei }: Amount) => Number(formatDecimal(wei, token.decimals))
  return sold.wei === 0n ? undefined : whole(bought) / whole(sold)
}

/** Hundred-millionths of the whole in a bps of it. */
const perBps = 10_000n

/**
 * The targets of every strategy that has some, and what the balances make of each at the prices of the last valuation.
 * What has no price makes the weights of that strategy unknown.
 */
export async function targetsOf(
  { strategies, journal, config: { chain, wallet }, clock }: Served,
  balances: readonly Amount[],
): Promise<readonly TargetView[]> {
  const owner = { chainId: chain.chainId, wallet: wallet.address }
  const ofToday = { ...owner, since: clock.now() - dayMs, limit: 1 }
  const valued = (await journal.valuations.since(ofToday)).findLast(({ seeded }) => !seeded)
  const worthOf = ({ token, wei }: Amount): bigint | undefined => {
    // What was not read counts as nothing in a target, and may be all there is.
    if (!balances.some((one) => sameToken(one.token, token))) return undefined
    if (wei === 0n) return 0n
    const known = valued?.holdings.find(({ held }) => sameToken(held.token, token))
    if (known?.worth === undefined || known.held.wei === 0n) return undefined
    return (wei * known.worth.wei) / known.held.wei
  }
  return strategies().flatMap(({ name, strategy, params }) => {
    const targets = targetsNow({ strategy, params }, balances)
    const worths = targets.map(({ parts }) => parts.map(worthOf))
    const sums = worths.map((some) =>
      some.some((one) => one === undefined)
        ? undefined
        : some.reduce<bigint>((sum, one) => sum + (one ?? 0n), 0n),
    )
    const whole = sums.some((one) => one === undefined)
      ? 0n
      : sums.reduce<bigint>((sum, one) => sum + (one ?? 0n), 0n)
    return targets.map(({ token, share, band }, place) => ({
      strategy: name,
      token: token.symbol,
      shareBps: Number(share / perBps),
      bandBps: Number(band / perBps),
      nowBps: whole === 0n ? null : Number(((sums[place] ?? 0n) * 10_000n) / whole),
    }))
  })
}

/** None where the code of the strategy fails: the others are shown. */
function targetsNow(
  { strategy, params }: Pick<LoadedStrategy, 'strategy' | 'params'>,
  balances: readonly Amount[],
): readonly Target[] {
  try {
    return strategy.targets?.({ params, balances }) ?? []
  } catch (error) {
    if (!(error instanceof BallastError)) throw error
    return []
  }
}
