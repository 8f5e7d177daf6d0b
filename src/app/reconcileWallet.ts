import type { JournalBooks } from '../bot/books.ts'
import type { Journal } from '../bot/journal/openJournal.ts'
import type { Lock } from '../bot/lock.ts'
import type { ReconcileLimits } from '../bot/reconcile/checkLimits.ts'
import type { Break, BreakLock } from '../bot/reconcile/createTally.ts'
import { type Reconciliation, reconcile } from '../bot/reconcile/reconcile.ts'
import type { Log } from '../bot/report/createLog.ts'
import { getChainId } from '../chain/calls/node.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { Config } from '../config/config.ts'
import type { Change } from '../config/diffConfig.ts'
import type { Clock } from '../core/clock.ts'
import { BallastError } from '../core/errors.ts'
import { compactJson } from '../core/json.ts'
import { dayMs } from '../core/spans.ts'
import { allowancesOnChain } from './allowancesOnChain.ts'
import { assertChain, openReader } from './openMarket.ts'

/** Swaps settled within it are looked at again even where they were found in order before. */
const recheckMs = dayMs

/** An instant of the daily comparison that lies further ahead is of a clock that was set back since. */
const aheadMsMax = 2 * dayMs

/** Blocks that are searched for allowances where no mark says from where on: a node gives few more at a time. */
const searchedMax = 5_000

export type Reconciling = {
  readonly config: Config
  readonly rpc: Rpc
  readonly journal: Journal
  readonly clock: Clock
}

/** The findings, and the locks that hold because of them. */
export type Reconciled = Reconciliation & {
  readonly locks: readonly Lock[]
  readonly since: number
}

/** The extent of the look. */
type Extent = {
  /** Milliseconds since the epoch: swaps that changed since, and all that are open. 0 for everything. */
  readonly since: number
  /** Looks through the log. */
  readonly logDefects: JournalBooks['logDefects']
}

/**
 * {@link reconcileWallet} over a connection of its own. Throws WRONG_CHAIN: another chain knows nothing of these books.
 * A chain that does not answer is left to the report.
 */
export async function reconcileOnce(
  { config, journal, clock }: Omit<Reconciling, 'rpc'>,
  since: number,
): Promise<Reconciled> {
  await using opened = new AsyncDisposableStack()
  const rpc = opened.adopt(openReader(config), (one) => one.close())
  const found = await rpc.request(getChainId).catch((error: unknown) => {
    if (error instanceof BallastError && error.fault === 'upstream') return config.chain.chainId
    throw error
  })
  assertChain(config, { found, endpoint: rpc.label })
  const { logDefects, recentLogDefects } = journal.books
  return await reconcileWallet(
    { config, rpc, journal, clock },
    { since, logDefects: since === 0 ? logDefects : recentLogDefects },
  )
}

/** {@link reconcileWallet} of what is not marked as clean yet, and of the last day once more. */
export async function reconcileRecent(
  reconciling: Reconciling,
  { logDefects }: Pick<Extent, 'logDefects'>,
): Promise<Reconciled> {
  const { config, journal, clock } = reconciling
  const mark = await journal.reconciliation.mark({ ...nameOf(config), since: 0 })
  const since = mark === undefined ? 0 : Math.max(0, Math.min(mark.at, clock.now() - recheckMs))
  return reconcileWallet(reconciling, { since, logDefects })
}

/** Whether what was spent before is held to other limits than what is spent from now on. */
export const changesLimits = (changes: readonly Change[]): boolean =>
  changes.some(({ path: [part, key] }) => part === 'policy' && policed.some((one) => one === key))

const policed = ['perDay', 'perSwap', 'allowances', 'permits', 'notional'] as const

/**
 * Compares the wallet's books with the chain. A break is noted in the log and halts the wallet, over restarts too,
 * until a person has looked; whole books are marked, so that the next start need not look again.
 */
export async function reconcileWallet(
  { config, rpc, journal, clock }: Reconciling,
  { since, logDefects }: Extent,
): Promise<Reconciled> {
  const { chain, policy } = config
  const scope = { ...nameOf(config), since }
  const limits: ReconcileLimits = policy
  const limitsText = compactJson(Object.fromEntries(policed.map((key) => [key, policy[key]])))
  const [mark, last, now] = [
    await journal.reconciliation.mark(scope),
    await journal.reconciliation.position(),
    clock.now(),
  ]
  const found = await reconcile({
    rpc,
    router: config.service.router,
    coin: config.tokens.native,
    tokens: [...config.tokens.bySymbol.values()],
    granted: (to) =>
      allowancesOnChain(rpc, {
        wallet: config.wallet.address,
        // What was there before was found in order then.
        from: mark?.block ?? Math.max(0, to - searchedMax),
        to,
      }),
    books: journal.books,
    scope,
    logDefects,
    confirmations: chain.confirmations,
    limits,
    // A reload forgets those of the mark, then gives the room of the new ones; this may have begun before it.
    async limitsChanged() {
      const since = await journal.reconciliation.mark(scope)
      return since !== undefined && since.limits !== limitsText
    },
    now,
  })
  const breaks = found.checks.flatMap(({ breaks }) => breaks)
  const locks = await lock(breaks, { config, journal })
  // A part is marked only where what came before it was marked.
  const whole = since === 0 || (mark !== undefined && since <= mark.at)
  // An overrun that a lowered limit may explain is held against the limits of before for as long as it lasts.
  const held = mark !== undefined && found.checks.some(isUntoldOverrun) ? mark.limits : limitsText
  if (whole && found.block !== undefined && found.checks.every(isClean))
    await journal.reconciliation.setMark({
      ...scope,
      mark: { block: found.block, ...last, at: now, limits: held },
    })
  return { ...found, locks, since }
}

const nameOf = ({ chain, wallet }: Config) => ({ chainId: chain.chainId, wallet: wallet.address })

type Found = Reconciliation['checks'][number]

const isUntoldOverrun = ({ id, verdict }: Found) => id === 'I6' && verdict === 'unknown'

/** A result that is unknown for as long as a day must not keep the mark back. */
const isClean = (check: Found) =>
  check.verdict === 'holds' ||
  isUntoldOverrun(check) ||
  (check.verdict === 'unknown' && check.isLasting)

async function lock(
  breaks: readonly Break[],
  { config, journal }: { config: Config; journal: Journal },
): Promise<readonly Lock[]> {
  const halting = breaks.filter(({ lock }) => lock !== undefined)
  if (halting.length === 0) return []
  await journal.reconciliation.noteBroken({
    ...nameOf(config),
    since: 0,
    breaks: halting.map(({ key, lock, code, facts, undone }) => ({
      key,
      lock,
      swapId: undone,
      facts: { ...facts, code },
    })),
  })
  const codes = [...new Set(halting.flatMap(({ lock }) => lock ?? []))]
  const opened: Lock[] = []
  // The reorganisation first: it is what explains the rest.
  for (const code of codes.sort().reverse()) {
    const { lock } = await journal.locks.open({
      kind: 'halt',
      scope: `wallet ${config.wallet.address.toLowerCase()}`,
      code,
      reason: reasonOf(
        code,
        halting.filter((one) => one.lock === code),
      ),
      expiresAt: undefined,
    })
    opened.push(lock)
  }
  return opened
}

const sentences: Readonly<Record<BreakLock, string>> = {
  REORG_BEYOND_DEPTH: 'what was booked as final is no longer what the chain says',
  LEDGER_BROKEN: 'the books do not agree with the chain or with themselves',
}

function reasonOf(code: BreakLock, breaks: readonly Break[]): string {
  const [first, ...others] = breaks
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return `${sentences[code]}: ${first?.key} (${first?.code})${more}; 'ballast reconcile' shows the evidence`
}

/**
 * Compares the books with the chain once a day, by the limits that are in force then, and looks through the whole log,
 * until the signal aborts. A break halts the wallet, which every watcher of the locks notices; an unknown result is a
 * warning.
 */
export async function reconcileDaily(
  { config, ...reconciling }: Omit<Reconciling, 'config'> & { readonly config: () => Config },
  {
    signal,
    log,
    archive,
  }: { signal: AbortSignal; log: Log; archive?: (() => Promise<void>) | undefined },
): Promise<void> {
  const { clock, journal } = reconciling
  for (let due = 0; ; ) {
    const now = clock.now()
    // A timer may end a little early: the same instant does not come twice.
    due = nextDue(config(), due - now <= aheadMsMax ? Math.max(due, now) : now)
    try {
      await clock.sleep(due - now, signal)
    } catch (error) {
      if (signal.aborted) return
      throw error
    }
    if (signal.aborted) return
    const { checks, locks, head } = await reconcileRecent(
      { ...reconciling, config: config() },
      { logDefects: journal.books.logDefects },
    )
    for (const { id, verdict, evidence, unknown, breaks } of checks)
      if (verdict !== 'holds') log.warn({ id, verdict, unknown, breaks }, evidence)
    log.info(
      { head, locks: locks.map(({ code }) => code) },
      'the books were compared with the chain',
    )
    // What leaves the journal was found in order; a break halts, and is looked into first.
    if (locks.length === 0) await archive?.()
  }
}

/**
 * The next instant after this one, in milliseconds since the epoch, at which a wallet is compared. It is the same in every
 * process, so that one which takes a wallet over puts nothing off, and another for each wallet.
 */
function nextDue({ wallet }: Config, after: number): number {
  const phase = Number(BigInt(wallet.address) % BigInt(dayMs))
  return after + dayMs - ((after - phase) % dayMs)
}
