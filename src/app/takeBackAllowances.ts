import { randomUUID } from 'node:crypto'
import type { Journal } from '../bot/journal/openJournal.ts'
import { type JournalReader, readJournal } from '../bot/journal/readJournal.ts'
import { journalExists } from '../bot/journal/schema/openDatabase.ts'
import type { Liability } from '../bot/journal/wallet/allowances.ts'
import { revoke } from '../bot/life/approvals.ts'
import { causeOf, type Drivetrain } from '../bot/life/train.ts'
import { getBlock } from '../chain/calls/node.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { spendersOf } from '../chain/settlement/spendersOf.ts'
import type { Config } from '../config/config.ts'
import { show } from '../core/amount.ts'
import type { Clock } from '../core/clock.ts'
import { BallastError, usageError } from '../core/errors.ts'
import { recoveredStrategy } from '../core/reservedStrategies.ts'
import { isNative, sameAddress, sameToken, type Token } from '../core/token.ts'
import {
  allowancesOnChain,
  type ChainAllowance,
  isSamePair,
  readAllowances,
} from './allowancesOnChain.ts'
import { openMarket } from './openMarket.ts'
import { openTrain, troubleNotes } from './openTrain.ts'
import { liabilityText } from './reading/journalViews.ts'
import { recover } from './recover.ts'

type Around = {
  /** The block that the search begins with. */
  readonly from: number
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly note: (line: string) => void
}

/** An allowance; of no swap where no book has it. */
type Standing = ChainAllowance & { readonly swapId: string | undefined }

type Found = {
  readonly allowances: readonly (ReturnType<typeof liabilityText> & {
    readonly revoked: boolean
    /** Whether the token is configured: only of such a one an allowance is taken back. */
    readonly known: boolean
    /** The swap under way that is about to use it. */
    readonly usedBy: string | null
  })[]
  /** False where the chain was not searched, or not wholly: more may stand. */
  readonly searched: boolean
  /** How many the signer or the policy refused to take back. */
  readonly refused: number
}

/** Allowances that stand, by the journal and by the chain's own approvals. Needs no key. */
export async function listAllowances(config: Config, around: Around): Promise<Found> {
  await using opened = new AsyncDisposableStack()
  const { clock, note } = around
  const journal = (await journalExists(config.database))
    ? opened.adopt(await readJournal({ ...config, clock }), (one) => one.shut())
    : undefined
  const left = (await journal?.allowances.liabilities(ownerOf(config))) ?? []
  const text = (one: Standing) => textOf(one, { config, revoked: false })
  try {
    const market = opened.adopt(await openMarket(config, clock), (one) => one.close())
    const used = journal === undefined ? [] : await inUse(config, journal)
    const { all, searched } = await standing({ config, rpc: market.rpc, left, ...around })
    const usedBy = (one: Standing) => used.find((other) => isSamePair(one, other))?.swapId ?? null
    const allowances = all.map((one) => ({ ...text(one), usedBy: usedBy(one) }))
    return { allowances, searched, refused: 0 }
  } catch (error) {
    noteUnsearched(error, note)
    return { allowances: left.map(text), searched: false, refused: 0 }
  }
}

const ownerOf = ({ chain, wallet }: Config) => ({
  chainId: chain.chainId,
  wallet: wallet.address,
})

/** Says that only the journal was read, where the chain is away; throws everything else. */
function noteUnsearched(error: unknown, note: Around['note']): void {
  if (!(error instanceof BallastError) || error.fault !== 'upstream') throw error
  note(`The chain was not searched, only the journal: ${error.summary}`)
}

/** Signs and sends the end of every allowance that stands, after everything open is decided. */
export async function takeBackAllowances(
  config: Config,
  { from, clock, signal, note }: Around,
): Promise<Found> {
  await using opened = new AsyncDisposableStack()
  const market = opened.adopt(await openMarket(config, clock), (one) => one.close())
  const { rpc } = market
  const onTrouble = troubleNotes(note)
  const { train, journal } = opened.adopt(
    await openTrain({ config, market, clock, onTrouble }),
    (one) => one.close(),
  )
  await recover({ config, market, train, signal, onResumed: async () => {}, warn: note })
  const wallet = config.wallet.address
  const booked = await journal.allowances.liabilities(ownerOf(config))
  const { all, searched } = await standing({ config, rpc, left: booked, from, note })
  const refused = await takeBackEach(all, {
    async takeBack(one) {
      const { swapId } = one
      if (swapId !== undefined) await revoke({ ...one, swapId }, train, signal)
      else if (tokenOf(one, config) !== undefined)
        await revokeForeign(one, { config, journal, train, clock, signal })
    },
    ...{ signal, note },
  })
  const still = await readAllowances(rpc, { wallet, block: 'latest', pairs: all })
  const left = [...still.standing, ...still.unread]
  const isGone = (one: Standing) => !left.some((other) => isSamePair(one, other))
  return {
    allowances: all.map((one) => textOf(one, { config, revoked: isGone(one) })),
    searched: searched && still.unread.length === 0,
    refused,
  }
}

/** A holder that signs something else is given nothing more to sign. */
const otherSignature: readonly string[] = ['SIGNED_DIFFERS', 'SIGNED_GARBLED']

/**
 * Takes back one after the other. One that the signer or the policy refuses keeps none of the others standing.
 *
 * @returns how many were refused.
 */
export async function takeBackEach<one extends Pick<Standing, 'token' | 'spender'>>(
  all: readonly one[],
  {
    takeBack,
    signal,
    note,
  }: Pick<Around, 'signal' | 'note'> & { readonly takeBack: (one: one) => Promise<void> },
): Promise<number> {
  let refused = 0
  for (const one of all) {
    if (signal.aborted) break
    try {
      await takeBack(one)
    } catch (error) {
      if (!(error instanceof BallastError) || error.fault !== 'refused') throw error
      if (otherSignature.includes(error.code)) throw error
      refused += 1
      note(`${one.token} to ${one.spender} stands: ${error.message} (${error.code})`)
    }
  }
  return refused
}

/** The journal's, and what else the chain shows, where its node searches the logs. */
async function standing({
  config,
  rpc,
  left,
  from,
  note,
}: Pick<Around, 'from' | 'note'> & {
  config: Config
  rpc: Rpc
  left: readonly Liability[]
}): Promise<{ readonly all: readonly Standing[]; readonly searched: boolean }> {
  const head = await rpc.request(getBlock('latest'))
  const to = head?.number ?? 0
  if (from > to) throw usageError(`--from ${from} is above the newest block, ${to}.`)
  try {
    const found = await allowancesOnChain(rpc, { wallet: config.wallet.address, from, to })
    const others = found.standing.filter((one) => !left.some((other) => isSamePair(one, other)))
    // Of a contract that is none of ours any answer is possible, also none.
    const unread = found.unread.filter((one) => tokenOf(one, config) !== undefined)
    for (const { token, spender } of unread)
      note(`The node does not say what ${spender} may take of ${token}.`)
    return {
      all: [...left, ...others.map((one) => ({ ...one, swapId: undefined }))],
      searched: unread.length === 0,
    }
  } catch (error) {
    noteUnsearched(error, note)
    return { all: left, searched: false }
  }
}

/** What open swaps of a running bot are about to use. */
async function inUse({ service, policy }: Config, { swaps }: JournalReader) {
  const open = await Promise.all((await swaps.open()).map((id) => swaps.load(id)))
  return open.flatMap(({ plan }) => {
    const { token } = plan.intent.sell
    const spenders = spendersOf(token, { router: service.router, permits: policy.permits })
    return spenders.map((spender) => ({ token: token.address, spender, swapId: plan.swapId }))
  })
}

/** An approval needs a swap to be booked with: one that sells nothing, and ends with it. */
async function revokeForeign(
  { token: address, spender, wei }: Standing,
  {
    config,
    journal,
    train,
    clock,
    signal,
  }: {
    config: Config
    journal: Journal
    train: Drivetrain
    clock: Clock
    signal: AbortSignal
  },
): Promise<void> {
  const token = tokenOf({ token: address }, config)
  const buy = [...config.tokens.bySymbol.values()].find(
    (one) => token !== undefined && !sameToken(one, token),
  )
  if (token === undefined || buy === undefined) return
  const swapId = randomUUID()
  const wallet = config.wallet.address
  const reason = `Takes back ${show({ token, wei })} that ${spender} may take: no book has that allowance.`
  await journal.recovered.plan(
    {
      ...{ swapId, key: `${recoveredStrategy}:${swapId}`, strategy: recoveredStrategy },
      // It sells nothing, so it counts against no limit while it is open.
      intent: { sell: { token, wei: 0n }, buy, floor: { token: buy, wei: 1n }, reason },
      ...{ wallet, recipient: wallet, slippageBps: 0, expirySeconds: 0 },
      ...{ indication: undefined, notional: undefined },
    },
    clock.now(),
  )
  try {
    await revoke({ token: address, spender, wei, swapId }, train, signal)
  } catch (error) {
    const isUnsigned = (await journal.swaps.load(swapId)).attempts.length === 0
    if (isUnsigned && error instanceof BallastError)
      await journal.swaps.close({
        ...{ swapId, as: 'ABANDONED', ...causeOf(error) },
      })
    throw error
  }
  await journal.swaps.close({ swapId, as: 'ABANDONED', code: 'REVOKED', reason })
}

/** The configured token; undefined for any other, which is not called by this wallet. */
function tokenOf({ token }: { token: string }, { tokens }: Config): Token | undefined {
  return [...tokens.bySymbol.values()].find(
    (one) => !isNative(one) && sameAddress(one.address, token),
  )
}

const textOf = (one: Standing, { config, revoked }: { config: Config; revoked: boolean }) => ({
  ...liabilityText(one, config),
  revoked,
  // One that a swap of the books left is taken back in its name, whatever the file lists.
  known: one.swapId !== undefined || tokenOf(one, config) !== undefined,
  usedBy: null,
})
