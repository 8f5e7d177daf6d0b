import type { JournalReader } from '../../bot/journal/readJournal.ts'
import { idPages } from '../../bot/journal/store/idPages.ts'
import type { Valuation } from '../../bot/journal/valuations/valuations.ts'
import { createExecutionTally } from '../../bot/report/createExecutionTally.ts'
import { shortfall } from '../../bot/report/shortfall.ts'
import { type Amount, toText } from '../../core/amount.ts'
import { isoText, toSecond } from '../../core/isoText.ts'
import { showPrice } from '../../core/price.ts'
import { type Coin, sameToken, type Token } from '../../core/token.ts'
import { collect } from '../report/collect.ts'
import { executionText, type ReportText, reportText } from '../report/reportText.ts'
import type { BookEntry, BookFacts } from './bookFacts.ts'
import { type Books, keepBooks, quietValuations } from './books.ts'
import type { MonthSpan } from './monthSpan.ts'
import { type BookConfig, factsUpto, readMarked } from './readBooks.ts'
import { type MonthMark, markAt, type Statement, statementOf } from './statement.ts'

/** A month as `--json` has it; its text and its page are made of this alone. Instants are ISO 8601 in UTC. */
export type MonthReport = Awaited<ReturnType<typeof readMonth>>

/** Points of the line of the month's value. */
const seriesMax = 200

/** Reads a month of the wallet: the same from the same journal, whenever and wherever. */
export async function readMonth(journal: JournalReader, config: BookConfig, span: MonthSpan) {
  const { known, mark: closing } = await readMarked(journal, config, span.until)
  const opening = openingOf(known, span)
  const facts = factsUpto(known, closing?.valuation.at ?? span.until - 1)
  const unit = closing?.valuation.unit ?? known.unit
  const books = keepBooks({ ...facts, unit })
  const marks = opening && closing && { opening: opening.valuation, closing: closing.valuation }
  const told = marks && marks.opening.at < marks.closing.at ? statementOf(books, marks) : undefined
  const settled = told === undefined ? soldIn(known, span) : swapsOf(told)
  const calendar = { since: span.from, until: span.until, strategy: undefined, swaps: 0 }
  const ruled = reportText(await collect(journal, calendar, config))
  const value = (wei: bigint) => toText({ token: unit, wei })
  return {
    month: span.month,
    zone: span.zone,
    from: isoText(span.from),
    until: isoText(span.until),
    unit: unit.symbol,
    opening: opening === undefined ? null : markText(opening),
    closing: closing === undefined ? null : markText(closing),
    notes: [...marksNotes({ opening, closing, books, span }), ...(told?.unknown ?? [])],
    sums: told?.sums === undefined ? null : sumsText(told.sums, value),
    tokens: (told?.lines ?? []).map((line) => lineText(line, value)),
    flows: (told?.entries ?? []).filter(isFlow).map((entry) => entryText(entry, unit)),
    swaps: (told?.entries ?? [])
      .filter(({ kind }) => kind === 'swap')
      .map((entry) => entryText(entry, unit)),
    gas: gasOf(told, facts),
    execution: await executionOf(journal, settled, config.tokens),
    settled: settled.length,
    events: await eventsOf(journal, span, { ...ruled, closing }),
    proof: await proofOf(journal, books, closing?.valuation.at ?? span.until),
    sources: sourcesOf(told, facts),
    series: marks === undefined ? [] : seriesOf(books.quiet, marks),
  }
}

/** The swaps of a statement. */
const swapsOf = ({ entries }: Statement): readonly string[] =>
  entries.flatMap(({ kind, swap }) => (kind === 'swap' && swap !== undefined ? [swap] : []))

/** The swaps that the log has as settled in a month. */
const soldIn = ({ moves }: BookFacts, { from, until }: MonthSpan): readonly string[] =>
  moves.flatMap(({ kind, at, of }) => (kind === 'sold' && at >= from && at < until ? [of] : []))

/** What swaps cost, whenever they were planned. */
async function executionOf(journal: JournalReader, swaps: readonly string[], coin: Coin) {
  const tally = createExecutionTally()
  for (const ids of idPages(swaps))
    for (const swap of await journal.swaps.dossiers(ids)) tally.add(swap, shortfall(swap, coin))
  return tally.result().map(executionText)
}

function openingOf(known: BookFacts, { from, until }: MonthSpan): MonthMark | undefined {
  const quiet = quietValuations(known)
  const first = quiet.find(({ at }) => at >= from && at < until)
  return markAt(quiet, from) ?? (first && { valuation: first, place: 'begin' })
}

/** The limits of what the boundaries say. */
function marksNotes({
  opening,
  closing,
  books,
  span,
}: {
  readonly opening: MonthMark | undefined
  readonly closing: MonthMark | undefined
  readonly books: Books
  readonly span: MonthSpan
}): readonly string[] {
  if (opening === undefined || closing === undefined)
    return ['No valuation of the wallet from before the end of the month is in the journal.']
  const [begin, end] = [opening, closing].map(({ valuation }) => seconds(valuation.at))
  const isOne = opening.valuation.at === closing.valuation.at
  if (isOne && opening.place !== 'begin')
    return [`No valuation of the month is in the journal; the last before it is of ${begin}.`]
  const earlier = books.entries.filter(
    ({ kind, at }) => kind === 'swap' && at >= span.from && at <= opening.valuation.at,
  ).length
  return [
    ...(opening.place === 'begin'
      ? [
          `Partial month: the books begin at ${begin}. What the wallet held at the start of the month is not known.`,
          ...(earlier > 0
            ? [`Swaps settled before that, and not in this statement: ${earlier}.`]
            : []),
        ]
      : []),
    ...(opening.place === 'before'
      ? [
          `The opening is of ${begin}: within two hours behind the start of the month nothing was recorded.`,
        ]
      : []),
    ...(isOne
      ? ['The closing is the same valuation: no other of the month is in the journal.']
      : []),
    ...(!isOne && closing.place === 'before'
      ? [
          `The closing is of ${end}: the month is not over, or within two hours behind its end nothing was recorded.`,
        ]
      : []),
  ]
}

const isFlow = ({ kind }: BookEntry) => kind === 'deposit' || kind === 'withdrawal'

function markText({ valuation: { at, holdings, total }, place }: MonthMark) {
  return {
    at: isoText(at),
    place,
    total: total === undefined ? null : toText(total),
    holdings: holdings.map(({ held, worth, sources }) => ({
      held: toText(held),
      worth: worth === undefined ? null : toText(worth),
      price: priceOf(held, worth),
      sources: sources ?? null,
    })),
  }
}

/** `3000.5 USDC per WETH`, cut; the exact one is worth by held. */
const priceOf = (held: Amount, worth: Amount | undefined): string | null =>
  worth === undefined || held.wei === 0n ? null : showPrice({ sold: held, bought: worth })

type Value = (wei: bigint) => ReturnType<typeof toText>

function sumsText({ realised, unrealised, ...sums }: NonNullable<Statement['sums']>, value: Value) {
  const both = (one: typeof realised) => ({ fifo: value(one.fifo), average: value(one.average) })
  const result = realised.fifo + unrealised.fifo - sums.gas
  return {
    opening: value(sums.opening),
    deposits: value(sums.deposits),
    withdrawals: value(sums.withdrawals),
    sentOn: value(sums.sentOn),
    realised: both(realised),
    unrealised: both(unrealised),
    gas: value(sums.gas),
    /** Realised and unrealised less gas: the same by both methods. */
    result: value(result),
    closing: value(sums.closing),
  }
}

function lineText({ token, realised, cost, ...amounts }: Statement['lines'][number], value: Value) {
  const { opening, deposits, withdrawals, bought, sold, gas, closing } = amounts
  const own = (wei: bigint) => toText({ token, wei })
  return {
    token: token.symbol,
    address: token.address,
    opening: own(opening),
    deposits: own(deposits),
    withdrawals: own(withdrawals),
    bought: own(bought),
    sold: own(sold),
    gas: own(gas),
    closing: own(closing),
    realised: { fifo: value(realised.fifo), average: value(realised.average) },
    cost: { fifo: value(cost.fifo), average: value(cost.average) },
  }
}

/** An entry for a person and for `--json`. */
function entryText({ kind, at, left, came, worth, by, ...entry }: BookEntry, unit: Token) {
  return {
    at: isoText(at),
    kind,
    left: left === undefined ? null : toText(left),
    came: came === undefined ? null : toText(came),
    worth: worth === undefined ? null : toText({ token: unit, wei: worth }),
    valuedBy: by ?? null,
    strategy: entry.strategy ?? null,
    swap: entry.swap ?? null,
    hash: entry.hash ?? null,
  }
}

/** Gas in the coin, and its parts as far as they were written down. */
function gasOf(told: Statement | undefined, { fills, coin }: BookFacts) {
  const entries = told?.entries.filter(({ kind }) => kind === 'gas') ?? []
  const paid = (wei: bigint) => toText({ token: coin.native, wei })
  const fillOf = ({ swap }: BookEntry) => fills.get(swap ?? '')
  const isLater = (entry: BookEntry) => entry.at > (fillOf(entry)?.ended ?? entry.at)
  const parts = [...new Set(entries.filter((one) => !isLater(one)).map(fillOf))]
  const known = parts.flatMap((fill) =>
    fill?.tip === undefined || fill.base === undefined ? [] : { tip: fill.tip, base: fill.base },
  )
  const total = entries.reduce((sum, { left }) => sum + (left?.wei ?? 0n), 0n)
  const tips = known.reduce((sum, { tip }) => sum + tip, 0n)
  const bases = known.reduce((sum, { base }) => sum + base, 0n)
  const partsUnknown = parts.length - known.length + entries.filter(isLater).length
  const rest = total - tips - bases
  return {
    total: paid(total),
    transactions: new Set(entries.map(({ hash }) => hash)).size,
    tips: paid(tips),
    baseFees: paid(bases),
    /** What a rollup took for the data of its transactions, where all parts are known. */
    rest: paid(partsUnknown > 0 || rest < 0n ? 0n : rest),
    /** Swaps whose parts were not written down, and approvals behind a swap: they are in the total alone. */
    partsUnknown,
  }
}

/** Locks, refusals and slots of the calendar month. */
async function eventsOf(
  journal: JournalReader,
  { from, until }: MonthSpan,
  { unplanned, rates, slots, closing }: ReportText & { readonly closing: MonthMark | undefined },
) {
  // Of a month that is not over, no further than its books go.
  const known = closing === undefined || closing.place === 'after' ? until : closing.valuation.at
  const locks = await journal.locks.during({ since: from, until })
  return {
    locks: locks.map(({ kind, scope, code, reason, openedAt, expiresAt, ...end }) => {
      // Later than the month is not of this month: it is told the same before and after.
      const released = end.releasedAt !== undefined && end.releasedAt < until
      const expired = !released && expiresAt !== undefined && expiresAt < known
      return {
        ...{ kind, scope, code, reason },
        openedAt: isoText(openedAt),
        openedBy: end.openedBy ?? null,
        releasedAt: released ? isoText(end.releasedAt ?? 0) : null,
        releasedBy: released ? (end.releasedBy ?? null) : null,
        releasedReason: released ? (end.releasedReason ?? null) : null,
        expiredAt: expired ? isoText(expiresAt) : null,
      }
    }),
    /** Wishes that policy refused, and swaps that a check ended, by code. */
    refusals: unplanned,
    stopped: rates.stopped,
    slots,
  }
}

/** What lets another hold the closing to chain and log. */
async function proofOf(journal: JournalReader, books: Books, at: number) {
  const { seq, hash } = await journal.log.lastEntryBefore(at)
  const last = books.entries.findLast((entry) => entry.hash !== undefined && entry.at <= at)
  const [dossier] = last?.swap === undefined ? [] : await journal.swaps.dossiers([last.swap])
  const mined = dossier?.mined?.hash === last?.hash ? dossier?.mined : undefined
  return {
    audit: { entry: seq, head: hash },
    transaction:
      last?.hash === undefined
        ? null
        : {
            hash: last.hash,
            at: isoText(last.at),
            block: mined === undefined ? null : (dossier?.block ?? null),
            blockHash: mined?.blockHash ?? null,
          },
  }
}

/** The independent sources of the fills' prices, and of how many swaps each was one. */
function sourcesOf(told: Statement | undefined, { fills }: BookFacts) {
  const counts = new Map<string, number>()
  for (const { kind, swap } of told?.entries ?? [])
    if (kind === 'swap')
      for (const source of fills.get(swap ?? '')?.sources ?? [])
        counts.set(source, (counts.get(source) ?? 0) + 1)
  return [...counts].map(([source, swaps]) => ({ source, swaps })).sort(bySource)
}

const bySource = (a: { readonly source: string }, b: { readonly source: string }) =>
  a.source < b.source ? -1 : 1

function seriesOf(
  quiet: readonly Valuation[],
  { opening, closing }: { readonly opening: Valuation; readonly closing: Valuation },
) {
  // Before a change of the unit of account a total is in another one.
  const own = quiet.filter(
    ({ at, total, unit }) =>
      at >= opening.at && at <= closing.at && total !== undefined && sameToken(unit, closing.unit),
  )
  const step = Math.max(1, Math.ceil(own.length / seriesMax))
  return own.flatMap(({ at, total }, index) =>
    total !== undefined && (index % step === 0 || index === own.length - 1)
      ? { at: isoText(at), total: toText(total) }
      : [],
  )
}

const seconds = (at: number) => toSecond(isoText(at))
