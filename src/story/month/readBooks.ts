import type { Dossier } from '../../bot/dossier.ts'
import type { JournalReader } from '../../bot/journal/readJournal.ts'
import type { Valuation } from '../../bot/journal/valuations/valuations.ts'
import type { Move } from '../../bot/journal/wallet/moves.ts'
import { isFinal } from '../../bot/state.ts'
import type { Config } from '../../config/config.ts'
import { hourMs } from '../../core/spans.ts'
import { sameAddress, sameToken, type Token } from '../../core/token.ts'
import { inPages } from '../inPages.ts'
import type { BookedFill, BookFacts } from './bookFacts.ts'
import { quietValuations } from './books.ts'
import { markAt, markMs } from './statement.ts'

/** The part of the configuration that the books need. */
export type BookConfig = Pick<Config, 'tokens' | 'wallet' | 'policy'>

/** Rows read at a time. */
const page = 500

type Extent = {
  readonly until: number
  /** What swaps are worth is said in it; without it in that of the newest valuation. */
  readonly unit?: Token | undefined
}

/** Reads what the books of the wallet are made of, as far as it was known before an instant. */
export async function readBooks(
  journal: JournalReader,
  { tokens, wallet, policy }: BookConfig,
  { until, ...wanted }: Extent,
): Promise<BookFacts> {
  const owner = { chainId: tokens.native.chainId, wallet: wallet.address }
  const valuations: Valuation[] = []
  const rows = inPages(page, (limit, after: Valuation | undefined) =>
    journal.valuations.page({ ...owner, after, until, limit }),
  )
  // The others of an hour are dropped after two days: a month that is told again is told the same.
  for await (const row of rows)
    if (hourOf(row.at) !== hourOf(valuations.at(-1)?.at ?? -hourMs)) valuations.push(row)
  const unit = wanted.unit ?? valuations.at(-1)?.unit ?? policy.notional.perSwap.token
  const fills = new Map<string, BookedFill>()
  const swaps = inPages(page, (limit, last: Dossier | undefined) =>
    journal.swaps.page({
      after: last && { createdAt: last.createdAt, id: last.id },
      ...{ limit, until },
    }),
  )
  // A journal may have the swaps of another wallet or another chain before this one.
  const isOwn = (one: { readonly chainId: number | undefined; readonly wallet: string }) =>
    one.chainId === owner.chainId && sameAddress(one.wallet, owner.wallet)
  for await (const swap of swaps) {
    const { intent, wallet } = swap.plan
    if (isOwn({ chainId: intent.sell.token.chainId, wallet }))
      fills.set(swap.id, fillOf(swap, { unit, until }))
  }
  const moves: Move[] = []
  let after: number | undefined
  do {
    const { moves: some, last } = await journal.wallet.moves({ after, limit: page, until })
    for (const move of some) if (move.kind !== 'paid-in' && isOwn(move)) moves.push(move)
    after = last
  } while (after !== undefined)
  return { unit, coin: tokens, valuations, fills, moves }
}

/** The same facts as they were known at an instant: a swap that ended later was under way, and tells no price. */
export function factsUpto(facts: BookFacts, at: number): BookFacts {
  const begun = [...facts.fills].filter(([, fill]) => fill.begun <= at)
  const underWay = {
    ended: Number.POSITIVE_INFINITY,
    ...{ sold: undefined, received: undefined, worth: undefined },
  }
  return {
    ...facts,
    valuations: facts.valuations.filter((one) => one.at <= at),
    fills: new Map(
      begun.map(([id, fill]) => [id, fill.ended <= at ? fill : { ...fill, ...underWay }]),
    ),
    moves: facts.moves.filter((one) => one.at <= at),
  }
}

/**
 * The facts up to the valuation that stands for a boundary, and a way behind it, with that valuation. In its unit: one
 * behind it may be in another.
 */
export async function readMarked(journal: JournalReader, config: BookConfig, boundary: number) {
  const until = boundary + markMs
  const markOf = (facts: BookFacts) => markAt(quietValuations(facts), boundary)
  const newest = await readBooks(journal, config, { until })
  const unit = markOf(newest)?.valuation.unit ?? newest.unit
  const known = sameToken(unit, newest.unit)
    ? newest
    : await readBooks(journal, config, { until, unit })
  return { known, mark: markOf(known) }
}

const hourOf = (at: number) => Math.floor(at / hourMs)

/** A swap as it was known before an instant: one that ended later was under way. */
function fillOf(swap: Dossier, { unit, until }: { unit: Token; until: number }): BookedFill {
  const { strategy, attempts, state, events, updatedAt, quote } = swap
  const isOver = isFinal(state) && updatedAt < until
  const moved = isOver ? swap.moved : undefined
  const over = isOver ? updatedAt : Number.POSITIVE_INFINITY
  const signed = attempts.map(({ kind, signedAt }) => ({ kind, at: Date.parse(signedAt) }))
  const own = signed.filter(({ at }) => at <= over)
  /** When an approval that was signed then was mined. */
  const answered = (at: number) =>
    events.find((one) => one.at >= at && one.at < until && approvalEnds.includes(one.type))?.at
  const approved = own.flatMap(({ kind, at }) => (kind === 'APPROVE' ? (answered(at) ?? []) : []))
  const coin = quote?.appraisal?.coin
  return {
    strategy,
    // What nobody signed moves nothing.
    begun: own.length === 0 ? over : Math.min(...own.map(({ at }) => at)),
    // What else is noted of a swap behind its end, such as a reorganisation, does not reopen it.
    ended: Math.max(over, ...approved),
    later: signed
      .filter(({ at }) => at > over && at < until)
      .map(({ at }) => ({ begun: at, ended: answered(at) ?? Number.POSITIVE_INFINITY })),
    sold: moved?.sold,
    received: moved?.received,
    worth: moved && worthOf({ ...swap, moved }, unit),
    coin: coin !== undefined && sameToken(coin.token, unit) ? coin.wei : undefined,
    tip: swap.tipPaidInAll,
    base: swap.basePaidInAll,
    sources: sourcesOf(swap),
  }
}

const approvalEnds: readonly string[] = ['APPROVED', 'APPROVAL_DISPLACED']

function sourcesOf({ plan, quote }: Dossier): readonly string[] {
  const asked = quote?.appraisal?.references.filter(({ independent }) => independent) ?? []
  const names = [...(plan.arrival?.sources ?? []), ...asked.map(({ source }) => source)]
  return [...new Set(names)].sort()
}

function worthOf(
  { plan, quote, moved }: Dossier & { readonly moved: NonNullable<Dossier['moved']> },
  unit: Token,
): BookedFill['worth'] {
  const { sold, received } = moved
  // What was taken without anything in return came at a worth of nothing.
  if (received.wei === 0n) return { wei: 0n, by: 'unit' }
  if (sameToken(received.token, unit)) return { wei: received.wei, by: 'unit' }
  if (sameToken(sold.token, unit)) return { wei: sold.wei, by: 'unit' }
  const notional = quote?.appraisal?.notional ?? plan.notional
  const planned = plan.intent.sell.wei
  if (notional === undefined || !sameToken(notional.token, unit) || planned === 0n) return undefined
  return { wei: (notional.wei * sold.wei) / planned, by: 'quote' }
}
