import { getTransactionCount } from '../../chain/calls/account.ts'
import { getBlock } from '../../chain/calls/node.ts'
import { type Finality, finalHeight } from '../../chain/finality.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { BallastError } from '../../core/errors.ts'
import type { Address, Token } from '../../core/token.ts'
import type { BookedSwap, BooksScope, JournalBooks, LogDefects } from '../books.ts'
import { isFinal } from '../state.ts'
import { checkAllowances, type WatchedAllowances } from './checkAllowances.ts'
import {
  checkDead,
  checkDecided,
  checkOneNonce,
  checkSettled,
  checkSigned,
  checkTotals,
  createQuoteCheck,
} from './checkBooks.ts'
import { checkLimits, type ReconcileLimits } from './checkLimits.ts'
import { checkReleased } from './checkReleased.ts'
import { createAmountCheck } from './createAmountCheck.ts'
import { createNonceCheck } from './createNonceCheck.ts'
import {
  type AskChain,
  type BreakTally,
  createAsk,
  createBreakTally,
  type ReconcileCheck,
} from './createTally.ts'
import { headWithin, sight } from './sight.ts'

/** The invariants, in the words of the report. */
const says = {
  I1: 'every transaction of the wallet since adoption is one attempt of the books',
  I2: 'a swap settled at most once, and a dead one never',
  I3: 'all bytes of a swap are for one nonce',
  I4: 'no quote was taken while earlier bytes could be mined',
  I5: 'amounts are those of the event and of the balances',
  I6: 'reserved and spent are within the limits',
  I7: 'what has a deadline is decided',
  I8: 'the router may take what is on record, and within its bound, of every token; nobody else may',
  I9: 'nothing was signed that the log does not know; a dry run has no key',
  I10: 'the log is what was written, and the tables say the same',
  I11: 'what settled is still on the chain',
  I12: 'no swap of the router is without its row',
  I13: 'the total of each strategy is the sum of its swaps',
} as const

type Id = keyof typeof says

/** Swaps read and looked up at a time. */
const swapsPerPage = 100
const eventsPerPage = 1_000

/** The findings, in the order of the invariants. */
export type Reconciliation = {
  readonly checks: readonly ReconcileCheck[]
  /** Height of the block at the depth; undefined where the chain did not answer. */
  readonly block: number | undefined
  readonly head: string
}

type Reconciling = {
  readonly rpc: Rpc
  readonly router: Address
  /** The chain's own currency. */
  readonly coin: Token
  /** Every configured token. */
  readonly tokens: readonly Token[]
  /** Allowances of the wallet that the chain's logs lead to, up to a block. */
  readonly granted: WatchedAllowances['granted']
  readonly books: JournalBooks
  readonly scope: BooksScope
  readonly confirmations: Finality
  /** Looks through the log: all of it, or what is recent. */
  readonly logDefects: JournalBooks['logDefects']
  readonly limits: ReconcileLimits
  /** Whether the limits are others than when the books were last in order; read when they are compared. */
  readonly limitsChanged: () => Promise<boolean>
  /** Milliseconds since the epoch. */
  readonly now: number
}

/**
 * Compares the books with the chain, and with themselves. Reads only; decides nothing and repairs nothing.
 *
 * What cannot be read is unknown: it neither passes nor breaks. An endpoint that is away leaves what the books alone
 * can show.
 */
export async function reconcile(reconciling: Reconciling): Promise<Reconciliation> {
  const { rpc, router, books, scope, confirmations, limits } = reconciling
  const ask = createAsk(rpc)
  const accepted = await books.accepted(scope)
  const tallies = Object.fromEntries(
    Object.entries(says).map(([id, says]) => [id, createBreakTally({ id, says }, accepted)]),
  ) as Tallies

  const chain = await readChain(rpc, { wallet: scope.wallet, confirmations })
  if (typeof chain === 'string')
    for (const id of ['I1', 'I2', 'I5', 'I11', 'I12'] as const) tallies[id].unknown(chain)
  const { counts, nonces, amounts } = await checkSwaps(reconciling, { ask, chain, tallies })
  const quotes = await checkQuotes(reconciling, tallies.I4)

  const adoption = await books.adoption(scope)
  const concludeNonces = async (range: Parameters<typeof nonces.from>[0]) => {
    const span = { from: nonces.from(range), to: range.to }
    return nonces.conclude({ ...range, ...span, booked: await books.nonces(scope, span) })
  }
  const log = await reconciling.logDefects(scope)
  // What came before took a while. The limits are those of the rows, and the rows those of the time.
  const counted = await books.counted(scope)
  const limitsChanged = await reconciling.limitsChanged()
  checkLog(log, tallies.I10)
  // Of a chain that was not seen nothing is claimed.
  const unseen = 'the chain was not seen'
  const evidence: Record<Id, string> = {
    I1:
      typeof chain === 'string'
        ? unseen
        : adoption.nonce === undefined
          ? 'the journal does not know this wallet yet'
          : await concludeNonces({ to: chain.deepNonce, adoption, whole: scope.since === 0 }),
    I2:
      typeof chain === 'string'
        ? unseen
        : `${counts.dead} dead swaps by receipt and by the router's word, ${counts.swaps} in all`,
    I3: `${counts.swaps} swaps, ${counts.attempts} signed transactions`,
    I4: quotes.evidence(),
    I5: typeof chain === 'string' ? unseen : amounts.evidence(),
    I6: checkLimits({ ...counted, limits, changed: limitsChanged }, tallies.I6),
    I7: `${counts.open} ${counts.open === 1 ? 'swap is' : 'swaps are'} open`,
    I8: await checkAllowances({ ...reconciling, limitsChanged, ask }, tallies.I8),
    I9: `${counts.attempts} signed transactions, ${counts.unlogged} of them without a swap of the log`,
    I10: `${log.entries} entries${log.after === 0 ? '' : ` after entry ${log.after}`}, head ${log.head}`,
    I11: typeof chain === 'string' ? unseen : `${counts.settled} settled swaps`,
    I12:
      typeof chain === 'string'
        ? unseen
        : await checkReleased(
            { rpc, router, wallet: scope.wallet, adoption, depth: chain.deep.number },
            tallies.I12,
          ),
    I13: await checkTotals({ books, scope }, tallies.I13),
  }
  if (typeof chain !== 'string') await checkLost({ ask, books, scope }, tallies.I1)
  return {
    checks: (Object.keys(says) as Id[]).map((id) => tallies[id].conclude(evidence[id])),
    block: typeof chain === 'string' ? undefined : chain.deep.number,
    head: typeof chain === 'string' ? chain : `block ${chain.head.number}`,
  }
}

type Tallies = Readonly<Record<Id, BreakTally>>

type ChainView = Awaited<ReturnType<typeof readChain>>

/** Checks every swap of the books, page by page: by itself, and where the chain was read, against the chain. */
async function checkSwaps(
  { rpc, books, scope, coin, now }: Reconciling,
  { ask, chain, tallies }: { ask: AskChain; chain: ChainView; tallies: Tallies },
) {
  const { wallet } = scope
  const nonces = createNonceCheck(wallet, tallies.I1)
  const amounts = createAmountCheck({
    ...{ ask, askTraces: createAsk(rpc), wallet, coin },
    tally: tallies.I5,
  })
  const counts = { swaps: 0, dead: 0, settled: 0, open: 0, attempts: 0, unlogged: 0 }
  const look = async (page: readonly BookedSwap[]) => {
    if (typeof chain === 'string') return
    const seen = await sight(ask, { swaps: page, depth: chain.deep.number })
    const standing: BookedSwap[] = []
    for (const swap of page) {
      nonces.add(swap, seen)
      checkDead(swap, seen, tallies.I2)
      amounts.gas(swap, seen)
      if (checkSettled(swap, seen, tallies.I11) || swap.isWrittenOff) standing.push(swap)
    }
    await amounts.add(standing, seen)
  }
  for (let after = ''; ; ) {
    const page = await books.swaps(scope, { after, limit: swapsPerPage })
    for (const swap of page) {
      checkOneNonce(swap, tallies.I3)
      checkSigned(swap, tallies.I9)
      const deepAt = typeof chain === 'string' ? undefined : chain.deep.timestamp
      checkDecided(swap, { deepAt, now }, tallies.I7)
      count(counts, swap)
    }
    await look(page)
    after = page.at(-1)?.swapId ?? after
    if (page.length < swapsPerPage) return { counts, nonces, amounts }
  }
}

async function checkQuotes({ books, scope }: Reconciling, tally: BreakTally) {
  const quotes = createQuoteCheck(tally)
  for (let after = 0; ; ) {
    const page = await books.quoteEvents(scope, { after, limit: eventsPerPage })
    for (const event of page) quotes.add(event)
    after = page.at(-1)?.seq ?? after
    if (page.length < eventsPerPage) return quotes
  }
}

function checkLog({ defects }: LogDefects, tally: BreakTally): void {
  for (const defect of defects)
    tally.broke({
      key: `I10 ${defect}`,
      code: 'LOG_BROKEN',
      facts: { defect },
      next: 'ballast audit verify --head <hash of your log>; restore the journal, or: ballast resume --reason "…"',
      lock: 'LEDGER_BROKEN',
    })
}

type Counts = Record<'swaps' | 'dead' | 'settled' | 'open' | 'attempts' | 'unlogged', number>

function count(counts: Counts, swap: BookedSwap): void {
  counts.swaps += 1
  counts.attempts += swap.attempts.length
  counts.unlogged += swap.attempts.filter(({ logged }) => !logged).length
  if (!isFinal(swap.state) || swap.attempts.some(isUndecided)) counts.open += 1
  else if (swap.state === 'SETTLED') counts.settled += 1
  else counts.dead += 1
}

const isUndecided = ({ kind, closed, displaced }: BookedSwap['attempts'][number]) =>
  kind === 'APPROVE' && closed === undefined && !displaced

/** Head, depth and nonces, or why they are not known. */
async function readChain(
  rpc: Rpc,
  { wallet, confirmations }: { wallet: Address; confirmations: Finality },
) {
  try {
    const head = await rpc.request(getBlock('latest'))
    if (head === undefined) return 'the endpoint has no latest block'
    const depth = Math.max(await finalHeight(rpc, confirmations, head.number), 0)
    const [deep, deepNonce] = await rpc.batch([getBlock(depth), getTransactionCount(wallet, depth)])
    if (!deep.ok || deep.value === undefined || !deepNonce.ok)
      return `the endpoint did not answer for block ${depth}`
    return { head, deep: deep.value, deepNonce: deepNonce.value }
  } catch (error) {
    if (!(error instanceof BallastError) || error.fault !== 'upstream') throw error
    return error.summary
  }
}

/**
 * I1 from the other side: nonces that the books gave out, with nothing under way, and that the chain does not know.
 * Read in this order, so that a swap which is signed or decided meanwhile never looks like one that is lost.
 */
async function checkLost(
  { ask, books, scope }: { ask: AskChain; books: JournalBooks; scope: BooksScope },
  tally: BreakTally,
): Promise<void> {
  const { nextNonce } = await books.adoption(scope)
  const open = await books.swaps(
    { ...scope, since: Number.MAX_SAFE_INTEGER },
    { after: '', limit: 1 },
  )
  if (nextNonce === undefined || open.length > 0) return
  const head = await headWithin(ask, { books, scope })
  if (typeof head === 'string') return tally.unknown(head)
  const [nonce] = await ask([getTransactionCount(scope.wallet, head)])
  if (nonce?.ok !== true) tally.unknown('the nonce of the wallet was not answered')
  else if (nonce.value < nextNonce)
    tally.broke({
      key: `I1 lost from ${nonce.value} to ${nextNonce - 1}`,
      code: 'NONCE_LOST',
      facts: { wallet: scope.wallet, nonceOfChain: nonce.value, nonceOfJournal: nextNonce },
      next: 'ask another endpoint first; to go on from the nonce of the chain: ballast resume --reason "…"',
      lock: 'LEDGER_BROKEN',
    })
}
