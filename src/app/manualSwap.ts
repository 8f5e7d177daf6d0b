import { beyondTreasury } from '../bot/journal/limits/treasury.ts'
import type { Journal } from '../bot/journal/openJournal.ts'
import { drive } from '../bot/life/drive.ts'
import { createIndicate } from '../bot/market/createIndicate.ts'
import { draft, screen } from '../bot/policy/checkPlan.ts'
import { middleRate } from '../bot/reference/readReferences.ts'
import { createLog } from '../bot/report/createLog.ts'
import type { Appraisal, Plan, Spent } from '../bot/stages.ts'
import { isFinal } from '../bot/state.ts'
import { preview } from '../bot/swap.ts'
import type { Config } from '../config/config.ts'
import { type Amount, show } from '../core/amount.ts'
import type { Clock } from '../core/clock.ts'
import { BallastError, ballastError } from '../core/errors.ts'
import { minimumAt, shiftPrice, worthAt } from '../core/price.ts'
import { manualStrategy } from '../core/reservedStrategies.ts'
import { secondMs } from '../core/spans.ts'
import { sameToken, type Token } from '../core/token.ts'
import { createBreakers } from '../engine/createBreakers.ts'
import type { OpenMarket } from '../engine/market.ts'
import { planOf, type Valued } from '../engine/planOf.ts'
import { watchLocks } from '../engine/watchLocks.ts'
import { assertPresent, placeOf } from './assertTokens.ts'
import { keepHalt } from './keepHalt.ts'
import { assertPriced } from './livePrices.ts'
import { openMarket } from './openMarket.ts'
import { openSpending, warnOfLocks } from './openSpending.ts'
import { openTrain, troubleNotes } from './openTrain.ts'
import { ended, type Outcome, stopped, wouldSwap } from './outcome.ts'
import { readingStages } from './readingStages.ts'
import { recover } from './recover.ts'
import { whoRuns } from './whoRuns.ts'

/** A swap as a person requests it; undefined values come from the configuration. */
export type ManualSwap = {
  readonly sell: Amount
  readonly buy: Token
  readonly floor: Amount | undefined
  readonly recipient: Plan['recipient'] | undefined
  readonly slippageBps: number | undefined
  readonly expirySeconds: number | undefined
}

type Around = {
  readonly config: Config
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly halt: AbortSignal
  /** A line for a person. */
  readonly note: (line: string) => void
}

type Session = Around & { readonly market: OpenMarket }

/** Takes a swap as far as its signature would be. */
export async function previewManualSwap(wanted: ManualSwap, around: Around): Promise<Outcome> {
  const { config, clock, note } = around
  await using opened = new AsyncDisposableStack()
  const market = opened.adopt(await openMarket(config, clock), (one) => one.close())
  const { plan, rules } = await planManualSwap(wanted, { ...around, market })
  const spending = opened.adopt(await openSpending(config, clock), (one) => one.close())
  try {
    warnOfLocks(await spending.locks(), note)
    const stages = readingStages({ config, market, spending, clock, nextNonce: undefined })
    const uses = [await spending.ofAllWallets()]
    const beyond = beyondTreasury(config.treasury, { notional: plan.notional, uses })
    if (beyond !== undefined) throw beyond
    const bounds = { ...rules, spent: await spending.spent(plan), now: clock.now() }
    return wouldSwap(plan, await preview(draft(plan, bounds), stages))
  } catch (error) {
    return stopped(plan, error)
  }
}

/** Takes a swap to its end, after everything an earlier process left open. */
export async function sendManualSwap(wanted: ManualSwap, around: Around): Promise<Outcome> {
  const { config, clock, halt } = around
  assertSwapPriced(config, wanted)
  const books = { halt, config, paper: false, clock }
  try {
    const outcome = await sendPriced(wanted, around)
    const late = await keepHalt(undefined, books)
    if (late !== undefined) around.note(late.summary)
    return outcome
  } catch (error) {
    throw (await keepHalt(error, books)) ?? error
  }
}

async function sendPriced(wanted: ManualSwap, around: Around): Promise<Outcome> {
  const { config, clock } = around
  await using opened = new AsyncDisposableStack()
  const market = opened.adopt(await openMarket(config, clock), (one) => one.close())
  const plan = () => planManualSwap(wanted, { ...around, market })
  const at = clock.now()
  const first = await plan()
  const current = () => planOfNow(first, { at, clock, plan })
  return await drivePlan(first, { ...around, market, current })
}

/** As old as the references may be of which a plan has its floor. */
const planMsMax = 30 * secondMs

/**
 * The plan that is swapped by: `first`, of the instant `at`, and the same swap planned anew where what was open took so
 * long to decide that the prices of the first are of another time.
 */
export async function planOfNow(
  first: Valued,
  {
    at,
    clock,
    plan,
  }: { readonly at: number; readonly clock: Clock; readonly plan: () => Promise<Valued> },
): Promise<Valued> {
  if (Math.abs(clock.now() - at) <= planMsMax) return first
  const { swapId, key } = first.plan
  const anew = await plan()
  return { ...anew, plan: { ...anew.plan, swapId, key } }
}

/** Throws PRICE_UNWITNESSED where neither a person nor a second party bounds the price. */
export function assertSwapPriced(
  config: Config,
  { sell, buy, floor }: Pick<ManualSwap, 'sell' | 'buy' | 'floor'>,
): void {
  if (floor !== undefined) return
  const personal = 'give --floor, the least to receive'
  assertPriced(config, { who: 'this swap', tokens: [sell.token, buy], personal })
}

async function drivePlan(
  { plan: first }: Valued,
  session: Session & { readonly current: () => Promise<Valued> },
): Promise<Outcome> {
  const { config, market, clock, signal, note } = session
  await using opened = new AsyncDisposableStack()
  const disputed = new AbortController()
  const notes = troubleNotes(note)
  const onTrouble = (id: string, error: unknown) => {
    if (error instanceof BallastError && error.code === 'SWAP_DISPUTED') disputed.abort(error)
    notes(id, error)
  }
  const { train, journal, whole } = opened.adopt(
    await openTrain({ config, market, clock, onTrouble }),
    (one) => one.close(),
  )
  const log = createLog({ level: config.logLevel, sink: note })
  const breakers = createBreakers({ config, journal, market, clock, log })
  const { wallet, strategy, intent, swapId } = first
  let plan = first
  opened.defer(async () =>
    log.info({ swapId, auditHead: await journal.log.head() }, 'the swap is left'),
  )
  const halted = watchHalts(wallet, { ...session, journal, log }, opened)
  opened.defer(() => breakers.atEnd(swapId))
  const stopping = AbortSignal.any([signal, halted, disputed.signal])
  try {
    const onResumed = breakers.atEnd
    await recover({ config, market, train, signal: stopping, onResumed, warn: note })
    await breakers.atStart()
    await whole(stopping)
    const { rules, ...current } = await session.current()
    plan = current.plan
    const pair = { sell: intent.sell.token.symbol, buy: intent.buy.symbol }
    await breakers.atPlan(plan)
    await journal.locks.guard('plan', { wallet, strategy, pair })
    const now = clock.now()
    const planned = draft(plan, { ...rules, spent: await journal.limits.spent(plan), now })
    const fits = (spent: Spent) => screen(plan, { ...rules, spent, now })
    await journal.swaps.reserve(planned, fits, { by: whoRuns() })
    const { state } = await drive(planned, train, stopping)
    if (halted.aborted && !isFinal(state)) throw halted.reason
    // The person has a prompt again, with the exit code of money that is not decided; the next start follows it on.
    if (disputed.signal.aborted && !isFinal(state)) throw disputed.signal.reason
    const record = await journal.swaps.record(swapId)
    if (record === undefined) throw new Error('a driven swap is in the journal')
    return ended(plan, record, await journal.swaps.evidence(swapId))
  } catch (error) {
    const record = await journal.swaps.record(swapId)
    if (record === undefined || record.state === 'REJECTED' || record.state === 'ABANDONED')
      return stopped(plan, error)
    note(`Swap ${swapId} is ${record.state}, transaction ${record.txHash ?? 'none'}:`)
    // An approval in dispute was stopped for it, and says only that it was stopped.
    throw disputed.signal.aborted ? disputed.signal.reason : error
  }
}

/** A signal that a halt of the wallet aborts, watched for until `opened` is closed. */
function watchHalts(
  wallet: Plan['wallet'],
  {
    journal,
    log,
    clock,
    halt,
  }: Session & { readonly journal: Journal; readonly log: ReturnType<typeof createLog> },
  opened: AsyncDisposableStack,
): AbortSignal {
  const halted = new AbortController()
  const done = new AbortController()
  const onHalt = (error: unknown) => halted.abort(error)
  const watching = watchLocks({
    ...{ journal, wallet, clock, log, halt, onHalt, signal: done.signal },
    say: () => {},
    onDrain: () => {},
    onMoved: () => {},
  }).catch(onHalt)
  opened.defer(() => {
    done.abort()
    return watching
  })
  return halted.signal
}

async function planManualSwap(
  { sell, buy, floor: given, ...terms }: ManualSwap,
  { config, market }: Session,
): Promise<Valued> {
  assertSwappable({ sell, buy }, config)
  const isTraded = (token: Token) => [sell.token, buy].some((one) => sameToken(one, token))
  assertPresent((await market.absent()).filter(isTraded), placeOf(config))
  if (given !== undefined && !sameToken(given.token, buy))
    throw ballastError('WRONG_FLOOR', `--floor must be in ${buy.symbol}, the token that is bought.`)
  const indicate = createIndicate({ quotes: market.quotes, chain: config.chain.name })
  const indication = await indicate({ sell, buy, from: config.wallet.address })
  const wish = `sell ${show(sell)} for ${buy.symbol}`
  const { floor, reason } =
    given === undefined
      ? floorOf(await market.appraise({ sell, buy }), {
          ...{ sell, buy, wish, slippageBps: config.policy.slippageBpsMax },
        })
      : { floor: given, reason: wish }
  const intent = { sell, buy, floor, reason }
  return planOf({ config, market }, { strategy: manualStrategy, intent, indication, ...terms })
}

function assertSwappable(
  { sell, buy }: Pick<ManualSwap, 'sell' | 'buy'>,
  { tokens }: Config,
): void {
  const money = [tokens.native, tokens.wrapped]
  const isMoney = (token: Token) => money.some((one) => sameToken(one, token))
  const same = sameToken(sell.token, buy) || (isMoney(sell.token) && isMoney(buy))
  if (same || sell.wei === 0n)
    throw new BallastError(
      same
        ? `${sell.token.symbol} and ${buy.symbol} are the same asset: there is nothing to swap.`
        : '--sell must be above zero.',
      { code: same ? 'SAME_TOKEN' : 'NOTHING_TO_SELL', remedy: 'skip', fault: 'usage' },
    )
}

/**
 * Without a floor of his own the operator gets the fair amount by the references, less the policy's tolerance, rounded
 * up. The service's indication has no part in it: its later quote would be measured against its own word.
 */
export function floorOf(
  appraisal: Appraisal,
  {
    sell,
    buy,
    wish,
    slippageBps,
  }: Pick<ManualSwap, 'sell' | 'buy'> & { readonly wish: string; readonly slippageBps: number },
): { readonly floor: Amount; readonly reason: string } {
  const { references, absent } = appraisal
  const middle = middleRate(appraisal, sell)
  if (middle === undefined)
    throw ballastError(
      'FLOOR_NEEDED',
      `No reference prices ${show(sell)} in ${buy.symbol}: give --floor, the least to receive.`,
      Object.fromEntries(absent.map(({ source, reason }) => [source, reason]).reverse()),
    )
  const { length } = references.filter(({ independent }) => independent)
  return {
    floor: minimumAt(shiftPrice(middle, -slippageBps), sell),
    reason: `${wish}; floor ${slippageBps} bps below the median of ${length} references, ${show(worthAt(middle, sell))}`,
  }
}
