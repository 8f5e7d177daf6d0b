import { holdJournal } from '../bot/journal/holdJournal.ts'
import { lockedError } from '../bot/journal/locks/guard.ts'
import { isMigrated } from '../bot/journal/migrateJournal.ts'
import { type Journal, openJournal } from '../bot/journal/openJournal.ts'
import type { Lock } from '../bot/lock.ts'
import { getTransactionCount } from '../chain/calls/account.ts'
import { finalHeight } from '../chain/finality.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { Config } from '../config/config.ts'
import type { AmountText } from '../core/amount.ts'
import type { Clock } from '../core/clock.ts'
import { display } from '../core/display.ts'
import { BallastError, ballastError } from '../core/errors.ts'
import { caughtUpHead, deepNonce } from './chainNonce.ts'
import { openMarket, openReader } from './openMarket.ts'
import { findUnbooked } from './unbooked.ts'
import { whoRuns } from './whoRuns.ts'
import { writeOff } from './writeOff.ts'

type Release = {
  /** One lock; undefined for all of them. */
  readonly id: number | undefined
  readonly reason: string
  /** The codes that a reason for all wallets explains; undefined where it is of this wallet. */
  readonly codes?: ReadonlySet<string> | undefined
  /** A swap that a person writes off first; undefined for none. */
  readonly writeOff: string | undefined
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly note: (line: string) => void
  /** The configuration with its addresses, read where the nonce of the wallet matters. */
  readonly withChain: () => Promise<Config>
}

type Released = {
  /** The nonce the wallet goes on from, where it was adopted from the chain. */
  readonly nextNonce: number | undefined
  readonly released: readonly Lock[]
  /** What was sold with the swap that was written off; undefined where nothing was. */
  readonly lost?: AmountText | undefined
}

/**
 * Releases locks of the live journal, and lets a halted wallet go on from the nonce of the chain. A swap to be written off
 * is ended before that.
 */
export async function resumeTrading(config: Config, release: Release): Promise<Released> {
  const { id, reason, clock, withChain } = release
  const { database, haltFile } = config
  await using opened = new AsyncDisposableStack()
  const journal = opened.adopt(await openJournal({ database, haltFile, clock }), (one) =>
    one.shut(),
  )
  if (release.writeOff !== undefined) {
    await writeOff(await withChain(), journal, { swapId: release.writeOff, reason, clock })
    release.note(`Swap ${release.writeOff} is written off, whatever follows.`)
  }
  const ended =
    release.writeOff === undefined ? undefined : await journal.swaps.record(release.writeOff)
  const lost = ended?.sold ?? undefined
  const locks = await journal.locks.releasable()
  assertExplained(locks, config, release)
  if (release.codes !== undefined && locks.length === 0)
    return { nextNonce: undefined, released: [], lost }
  const chosen = id === undefined ? locks : locks.filter((lock) => lock.id === id)
  const isNothingLocked = locks.length === 0 && id === undefined
  if (isNothingLocked && !(await nonceDiffers(config, journal, release)))
    return { nextNonce: undefined, released: [], lost }
  const nextNonce = concernsNonce(chosen, id)
    ? await adoptNonce(await withChain(), journal, { ...release, halted: chosen.length > 0 })
    : undefined
  return { nextNonce, released: await releaseChosen(journal, { chosen, id, reason }), lost }
}

/**
 * One reason for all wallets explains what a person did to all of them, and nothing that befell one: that throws
 * LOCK_OF_ONE_WALLET, and a nonce is adopted for none. Of a journal that was moved away nothing is released in passing: a
 * second bot could begin over it.
 */
function assertExplained(
  locks: readonly Lock[],
  { wallet }: Config,
  { id, codes }: Pick<Release, 'id' | 'codes'>,
): void {
  const moved = locks.find(isMigrated)
  if (moved !== undefined && id === undefined) throw lockedError(moved)
  const other = codes && locks.find(({ code }) => !codes.has(code))
  if (other === undefined) return
  throw ballastError(
    'LOCK_OF_ONE_WALLET',
    `Lock ${other.id} (${other.code}) is of this wallet alone: look, then name it with --wallet ${wallet.name}. Nothing of it was released.`,
    { reason: display(other.reason) },
  )
}

/** These, and none that was opened while the nonce was waited for: nobody has seen that one. */
async function releaseChosen(
  { locks }: Journal,
  { chosen, id, reason }: Pick<Release, 'id' | 'reason'> & { readonly chosen: readonly Lock[] },
): Promise<readonly Lock[]> {
  const by = whoRuns()
  if (chosen.length === 0 && id !== undefined) return locks.release({ id, reason, by })
  const released: Lock[] = []
  for (const lock of chosen)
    try {
      released.push(...(await locks.release({ id: lock.id, reason, by })))
    } catch (error) {
      // Over by itself meanwhile.
      if (!(error instanceof BallastError) || error.code !== 'UNKNOWN_LOCK') throw error
    }
  return released
}

/** A wallet is halted when another party used its key. Without a lock, a start was refused over the nonce. */
function concernsNonce(chosen: readonly Lock[], id: number | undefined): boolean {
  if (chosen.length === 0) return id === undefined
  return chosen.some(({ kind, scope }) => kind === 'halt' && scope.startsWith('wallet '))
}

/**
 * Whether a start would be refused over the nonce. Read without the journal's lock, which a running bot holds: one that
 * runs was not refused, and its own transactions under way explain a difference.
 */
async function nonceDiffers(
  { chain, wallet }: Config,
  journal: Journal,
  { withChain, note }: Pick<Release, 'withChain' | 'note'>,
): Promise<boolean> {
  const state = await journal.wallet.state({ chainId: chain.chainId, wallet: wallet.address })
  if (state === undefined || (await journal.swaps.open()).length > 0) return false
  try {
    const rpc = openReader(await withChain())
    const nonce = await rpc.request(getTransactionCount(wallet.address)).finally(rpc.close)
    return nonce !== state.nextNonce
  } catch (error) {
    if (!(error instanceof BallastError)) throw error
    note(`The nonce of the wallet was not read from the chain: ${error.summary}`)
    return false
  }
}

/** The wallet goes on from the nonce the chain expects; no process may be spending meanwhile. */
async function adoptNonce(
  config: Config,
  journal: Journal,
  {
    reason,
    halted,
    clock,
    signal,
    note,
  }: Pick<Release, 'reason' | 'clock' | 'signal' | 'note'> & { readonly halted: boolean },
): Promise<number | undefined> {
  const { chain, database, stateFolder } = config
  const { chainId } = chain
  const wallet = config.wallet.address
  const holding = { database, chainId, wallet, stateFolder, clock }
  await using opened = new AsyncDisposableStack()
  opened.adopt(await holdJournal(holding), (hold) => hold.release())
  try {
    const market = opened.adopt(await openMarket(config, clock), (one) => one.close())
    const { rpc } = market
    await caughtUpHead({ config, rpc, journal })
    const nonceOfChain = await deepNonce({ rpc, chain, wallet, clock, signal, note })
    const head = await caughtUpHead({ config, rpc, journal })
    await assertBooked({ config, rpc, journal }, { nonceOfChain, head })
    await journal.wallet.release({ chainId, wallet, nonceOfChain, reason })
    return nonceOfChain
  } catch (error) {
    // Signed bytes must be followed before the nonce can move, and under a halt nobody follows them: the halt is
    // released alone, and the next start says so if the nonce is still another one when they are decided.
    if (halted && error instanceof BallastError && error.code === 'SWAP_UNDECIDED') return undefined
    throw error
  }
}

/**
 * Throws BOOKS_BEHIND where the wallet made swaps that the journal does not know: released, they would count against no
 * limit, and their slots would be bought again.
 */
async function assertBooked(
  known: { config: Config; rpc: Rpc; journal: Journal },
  { nonceOfChain, head }: { nonceOfChain: number; head: number },
): Promise<void> {
  const { chain, wallet } = known.config
  const scope = { chainId: chain.chainId, wallet: wallet.address }
  const state = await known.journal.wallet.state(scope)
  if (state === undefined || nonceOfChain <= state.nextNonce) return
  const depth = Math.max(0, await finalHeight(known.rpc, chain.confirmations, head))
  const ours = (await findUnbooked({ ...known, depth })).filter(({ is }) => is !== 'foreign')
  if (ours.length > 0)
    throw ballastError('BOOKS_BEHIND', 'The wallet made swaps that this journal does not know.', {
      transactions: ours.length,
      next: 'book them first: ballast recover --reason "…"',
    })
}
