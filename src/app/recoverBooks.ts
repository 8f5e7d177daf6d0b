import { randomUUID } from 'node:crypto'
import type { Journal } from '../bot/journal/openJournal.ts'
import { resume } from '../bot/life/drive.ts'
import { finishApprovals, follow } from '../bot/life/follow.ts'
import type { Drivetrain } from '../bot/life/train.ts'
import { latestSlot } from '../bot/schedule/slots.ts'
import { missedRun } from '../bot/schedule/timetable.ts'
import type { Plan } from '../bot/stages.ts'
import { isFinal } from '../bot/state.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import { getBlock } from '../chain/calls/node.ts'
import { finalHeight } from '../chain/finality.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import { BallastError, ballastError } from '../core/errors.ts'
import { recoveredStrategy } from '../core/reservedStrategies.ts'
import { dayMs } from '../core/spans.ts'
import { sameAddress, sameToken } from '../core/token.ts'
import { createSlotBook } from '../engine/createSlotBook.ts'
import type { OpenMarket } from '../engine/market.ts'
import { caughtUpHead, chainTime, deepNonce } from './chainNonce.ts'
import { openMarket } from './openMarket.ts'
import { openTrain, troubleNotes } from './openTrain.ts'
import { type Reconciled, reconcileWallet } from './reconcileWallet.ts'
import { assertOurs } from './recover.ts'
import { findUnbooked, type Unbooked } from './unbooked.ts'

export type Recovering = {
  readonly config: Config
  readonly strategies: readonly LoadedStrategy[]
  /** What a person found; the log keeps it beside each foreign transaction. */
  readonly reason: string
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly note: (line: string) => void
}

/** What was booked from the chain. */
export type RecoveredBooks = {
  readonly swaps: number
  readonly approvals: number
  /** Nonces of transactions that are none of this bot's. */
  readonly foreign: readonly number[]
  /** Calendar slots that were closed without being bought. */
  readonly slots: readonly { readonly strategy: string; readonly slots: number }[]
  readonly found: Reconciled
}

type Session = Recovering & {
  readonly market: OpenMarket
  readonly train: Drivetrain
  readonly journal: Journal
}

type Swap = Extract<Unbooked, { is: 'swap' }>
type Approval = Extract<Unbooked, { is: 'approval' }>

/**
 * Brings the books of a wallet up to the chain: of a journal that was restored from an older copy, or begun anew.
 *
 * Every transaction of the wallet since the journal's end is found by its nonce. What calls a router, today's or a former
 * one, is booked as signed bytes and then followed to its end like any swap. Which strategy made it is known where the
 * journal has its quote; it counts against each of them otherwise. Calendar slots of the gap are closed first, since one of these swaps may have
 * been theirs. What is foreign is released with the person's reason. Nothing is signed and nothing is sent.
 *
 * It can be stopped anywhere: the wallet is behind the chain until the last transaction is booked, and refuses to start.
 */
export async function recoverBooks(recovering: Recovering): Promise<RecoveredBooks> {
  const { config, clock, signal, note } = recovering
  const { chain, wallet } = config
  await using opened = new AsyncDisposableStack()
  const market = opened.adopt(await openMarket(config, clock), (one) => one.close())
  const onTrouble = troubleNotes(note)
  const { train, journal } = opened.adopt(
    await openTrain({ config, market, clock, onTrouble }),
    (one) => one.close(),
  )
  for (const swapId of await journal.swaps.open())
    assertOurs(await journal.swaps.load(swapId), config)
  const session: Session = { ...recovering, market, train: onlyLooking(train), journal }
  const { rpc } = market
  await deepNonce({ rpc, chain, wallet: wallet.address, clock, signal, note })
  // Read afterwards: no transaction may lie between the depth that was waited for and the one that is searched.
  const head = await caughtUpHead({ config, rpc, journal })
  const depth = Math.max(0, await finalHeight(rpc, chain.confirmations, head))
  const unbooked = await findUnbooked({ config, rpc, journal, depth })
  await adoptWallet(unbooked, session)
  const left = await bookBids(unbooked, session)
  const known = await finishKnown(left, session)
  const slots = await closeSlots(session)
  const booked = await bookRest(left.slice(known), session)
  const found = await reconcileWallet(
    { config, rpc, journal, clock },
    { since: 0, logDefects: journal.books.logDefects },
  )
  return { ...booked, swaps: booked.swaps + known, slots, found }
}

/** What would be sent, outbid or cancelled is left to the next start, under a halt as well. */
function onlyLooking(train: Drivetrain): Drivetrain {
  const { journal } = train
  const guard = async () => {
    throw ballastError(
      'NOT_SENT',
      'It waits for the next start: nothing is signed or sent while books are recovered.',
    )
  }
  return { ...train, journal: { ...journal, locks: { ...journal.locks, guard } } }
}

/** A journal that does not know the wallet takes it in at its first transaction of the bot's. */
async function adoptWallet(
  unbooked: readonly Unbooked[],
  { config, journal, note }: Session,
): Promise<void> {
  const scope = { chainId: config.chain.chainId, wallet: config.wallet.address }
  if ((await journal.wallet.state(scope)) !== undefined) return
  const first = unbooked.find(({ is }) => is !== 'foreign')
  const nonceOfChain = first?.transaction.nonce ?? (unbooked.at(-1)?.transaction.nonce ?? -1) + 1
  const before = unbooked.filter(({ transaction }) => transaction.nonce < nonceOfChain)
  if (before.length > 0)
    note(
      `The books begin at nonce ${nonceOfChain}: the wallet's ${before.length} transactions before it are no swap and no approval of a router that is known, and are not booked.`,
    )
  await journal.wallet.adopt({ ...scope, nonceOfChain })
}

/** Dearer bids and cancellations of swaps that the journal has open; returns what comes after them. */
async function bookBids(
  unbooked: readonly Unbooked[],
  session: Session,
): Promise<readonly Unbooked[]> {
  const { config, journal } = session
  const scope = { chainId: config.chain.chainId, wallet: config.wallet.address }
  const next = (await journal.wallet.state(scope))?.nextNonce ?? 0
  for (const one of unbooked.filter(({ transaction }) => transaction.nonce < next)) {
    const { transaction } = one
    const open = await openAt(transaction.nonce, session)
    if (open === undefined || transaction.raw === undefined) continue
    const { to, value } = transaction
    const isCancel = to !== undefined && sameAddress(to, config.wallet.address) && value === 0n
    // A service may write its calldata in either case.
    const isSame = open.data.toLowerCase() === transaction.data.toLowerCase()
    if (isSame || (isCancel && open.kind === 'SWAP'))
      await journal.recovered.bid(
        open.swapId,
        isSame ? open.kind : 'CANCEL',
        await bytesOf(one, session),
      )
  }
  return unbooked.filter(({ transaction }) => transaction.nonce >= next)
}

/** The open swap with bytes of a nonce, and what those bytes call. */
async function openAt(nonce: number, { journal }: Session) {
  for (const swapId of await journal.swaps.open()) {
    const { attempts } = await journal.swaps.load(swapId)
    const own = attempts.find(({ bytes, closed }) => bytes.transaction.nonce === nonce && !closed)
    if (own !== undefined) return { swapId, kind: own.bytes.kind, data: own.bytes.transaction.data }
  }
  return undefined
}

/**
 * Ends what the journal has open, as a start does; a swap with a quote or a permit whose bytes are the next on the chain is
 * booked under its own strategy. Returns how many of the unbooked that took: none or the first.
 */
async function finishKnown(unbooked: readonly Unbooked[], session: Session): Promise<number> {
  const { journal, train } = session
  const [first] = unbooked
  const terms = first?.is === 'swap' ? first.terms : undefined
  const owner = terms?.permit && (await journal.recovered.ownerOf(terms.permit))
  let known = 0
  for (const swapId of await journal.swaps.open()) {
    const { state, authorization } = await journal.swaps.load(swapId)
    const isItsQuote = state === 'VERIFIED' && terms?.authorization === authorization
    const isItsPermit = state === 'PLANNED' && swapId === owner
    if (first?.is === 'swap' && (isItsQuote || isItsPermit)) {
      await journal.recovered.swap(swapId, await bytesOf(first, session), first.terms)
      known = 1
    }
    const swap = await resume(swapId, train, AbortSignal.abort()).catch(async (error: unknown) => {
      // An approval of it is not decided.
      if (!(error instanceof BallastError) || error.code !== 'INTERRUPTED') throw error
      return journal.swaps.load(swapId)
    })
    if (unbooked.length > 0) assertDecided(swap)
  }
  return known
}

/** Closes the calendar slots since the last one that is in the books: any of them may have been bought. */
async function closeSlots({ strategies, journal, market, clock }: Session) {
  const book = createSlotBook({
    ...{ journal, clock, finishOpen: async () => {} },
    chainTime: () => chainTime(market.rpc),
  })
  const closed: { readonly strategy: string; readonly slots: number }[] = []
  for (const loaded of strategies) {
    const { name: strategy, schedule } = loaded
    const last = await journal.slots.lastClosed(strategy)
    if (schedule.kind !== 'cron' || last === undefined) continue
    const to = latestSlot(schedule, { after: last.upto, now: clock.now() })
    if (to === undefined) continue
    const missed = missedRun(schedule, { after: last.upto, to })
    const reason = 'its books were recovered: whether it was bought is unknown'
    const run = missed.exact ? missed : { ...missed, to }
    await book.missed(strategy, { missed: run, reason, schedule })
    closed.push({ strategy, slots: missed.count })
  }
  return closed
}

/** Books the rest in the order of nonces, each to its end before the next. */
async function bookRest(unbooked: readonly Unbooked[], session: Session) {
  const { config, journal, train, signal, reason } = session
  const scope = { chainId: config.chain.chainId, wallet: config.wallet.address }
  const foreign: number[] = []
  const plans = new Map<Unbooked, Plan>()
  let [swaps, approvals] = [0, 0]
  for (const [index, one] of unbooked.entries()) {
    if (signal.aborted)
      throw ballastError('INTERRUPTED', 'The books are not whole yet: run ballast recover again.')
    const { nonce } = one.transaction
    if (one.is === 'foreign') {
      await journal.wallet.release({ ...scope, from: nonce, nonceOfChain: nonce + 1, reason })
      foreign.push(nonce)
      continue
    }
    const owner = one.is === 'swap' ? one : (swapAfter(unbooked.slice(index + 1), one) ?? one)
    const bytes = await bytesOf(one, session)
    let plan = plans.get(owner)
    if (plan === undefined) {
      plan = await planOf(owner, { session, minedAt: bytes.minedAt })
      plans.set(owner, plan)
      await journal.recovered.plan(plan, bytes.minedAt)
    }
    const { swapId } = plan
    if (one.is === 'swap') {
      swaps += 1
      await journal.recovered.swap(swapId, bytes, one.terms)
      assertDecided(await follow(swapId, train, AbortSignal.abort()))
      continue
    }
    approvals += 1
    await journal.recovered.approval(swapId, bytes)
    await finishApprovals(swapId, train, AbortSignal.abort())
    if (owner === one)
      await journal.swaps.close({
        ...{ swapId, as: 'ABANDONED', code: 'RECOVERED' },
        reason: 'An approval of the chain whose swap is not on it.',
      })
  }
  return { swaps, approvals, foreign }
}

/** Nothing is booked behind a swap whose end could not be read: the next run of the command goes on with it. */
function assertDecided({ state, plan: { swapId } }: Awaited<ReturnType<typeof follow>>): void {
  if (!isFinal(state))
    throw ballastError(
      'CONFIRMATION_UNAVAILABLE',
      'The chain could not be read to the end of a swap: run ballast recover again.',
      { swapId, state },
    )
}

/** The swap that an approval was for: the next one, if it sells that token and nothing but approvals lie between. */
function swapAfter(later: readonly Unbooked[], { token }: Approval): Swap | undefined {
  const next = later.find(({ is }) => is !== 'approval')
  return next?.is === 'swap' && sameToken(next.sell.token, token) ? next : undefined
}

async function bytesOf({ transaction }: Unbooked, { market }: Session) {
  const { hash, raw, nonce, blockNumber } = transaction
  const block = await market.rpc.request(getBlock(blockNumber))
  if (block === undefined || raw === undefined)
    throw ballastError(
      'TRANSACTIONS_NOT_FOUND',
      'The RPC endpoint does not show every transaction of the wallet.',
      { transaction: hash, block: blockNumber, endpoint: market.rpc.label },
    )
  return { hash, raw, nonce, minedAt: block.timestamp * 1_000 }
}

/** A plan as far as the chain shows it. What counts against the limits of a day is valued by the references of now. */
async function planOf(
  one: Swap | Approval,
  { session, minedAt }: { readonly session: Session; readonly minedAt: number },
): Promise<Plan> {
  const { config, market, clock } = session
  const { hash, blockNumber } = one.transaction
  const tokens = [...config.tokens.bySymbol.values()]
  const sell = one.is === 'swap' ? one.sell : { token: one.token, wei: one.wei }
  const buy =
    one.is === 'swap'
      ? one.buy
      : (tokens.find((token) => !sameToken(token, one.token)) ?? one.token)
  const counts = one.is === 'swap' && minedAt > clock.now() - dayMs
  const { notional } = counts ? await market.appraise({ sell, buy }) : { notional: undefined }
  const swapId = randomUUID()
  return {
    swapId,
    key: `${recoveredStrategy}:${swapId}`,
    strategy: recoveredStrategy,
    intent: {
      ...{ sell, buy, floor: { token: buy, wei: one.is === 'swap' ? one.terms.minimum : 1n } },
      reason: `Booked from the chain: transaction ${hash} of block ${blockNumber}.`,
    },
    wallet: config.wallet.address,
    recipient: one.is === 'swap' ? one.recipient : config.wallet.address,
    ...{ slippageBps: 0, expirySeconds: 0, indication: undefined, notional },
  }
}
