import { type Measured, measureLoss, shownMoves } from '../bot/confirm/measure.ts'
import { observe } from '../bot/confirm/observe.ts'
import { holdJournal } from '../bot/journal/holdJournal.ts'
import type { Journal } from '../bot/journal/openJournal.ts'
import type { Swap } from '../bot/journal/swaps/load.ts'
import { watchedAttempts } from '../bot/life/follow.ts'
import { next } from '../bot/next.ts'
import { writtenOff } from '../bot/state.ts'
import type { Receipt } from '../chain/calls/getReceipt.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { Config } from '../config/config.ts'
import { show } from '../core/amount.ts'
import { assert } from '../core/assert.ts'
import type { Clock } from '../core/clock.ts'
import { display } from '../core/display.ts'
import { BallastError, ballastError } from '../core/errors.ts'
import { openMarket } from './openMarket.ts'
import { whoRuns } from './whoRuns.ts'

type Writing = {
  readonly swapId: string
  readonly reason: string
  readonly clock: Clock
}

/**
 * Ends a mined swap of an opaque router that moved nothing, whose moves no node can tell any more, or that took what was
 * to be sold and gave nothing, by a person's word: nothing else ends it. Throws NOT_WRITTEN_OFF where the chain, or the
 * witness, shows other moves, or that it has another end.
 */
export async function writeOff(
  config: Config,
  journal: Journal,
  { swapId, reason, clock }: Writing,
): Promise<void> {
  const { chain, wallet, database, stateFolder } = config
  const { chainId } = chain
  const holding = { database, chainId, wallet: wallet.address, stateFolder, clock }
  await using opened = new AsyncDisposableStack()
  opened.adopt(await holdJournal(holding), (hold) => hold.release())
  // By an earlier call that failed behind it.
  if ((await journal.swaps.record(swapId))?.code === writtenOff) return
  const swap = await openSwap(journal, swapId)
  const market = opened.adopt(await openMarket(config, clock), (one) => one.close())
  const end = await endOf(config, swap, market.rpc)
  const other = market.witness && (await endOf(config, swap, market.witness.rpc))
  if (other !== undefined && other.lost?.sold.wei !== end.lost?.sold.wei)
    throw refuse(swap, 'Two nodes show different moves of the swap.', {
      moved: [end, other].map(({ lost }) => (lost ? show(lost.sold) : 'nothing')).join(' and '),
    })
  const word = { reason, by: whoRuns() }
  if (end.lost === undefined)
    await journal.attempts.writeOff({ swapId, receipt: end.receipt, ...word })
  else await journal.attempts.settle({ swapId, measured: end.lost, word })
}

async function openSwap(journal: Journal, swapId: string): Promise<Swap> {
  if (!(await journal.swaps.open()).includes(swapId))
    throw ballastError('UNKNOWN_SWAP', `There is no undecided swap '${display(swapId, 64)}'.`)
  return journal.swaps.load(swapId)
}

const refuse = ({ plan }: Swap, sentence: string, facts: Readonly<Record<string, string>>) =>
  ballastError('NOT_WRITTEN_OFF', sentence, { swapId: plan.swapId, ...facts })

/** The receipt of a swap that one node shows as mined and deep, and what was lost with it, if anything moved. */
async function endOf(
  { chain, tokens }: Config,
  swap: Swap,
  rpc: Rpc,
): Promise<{ readonly receipt: Receipt; readonly lost: Measured | undefined }> {
  const { plan, router, authorization, state } = swap
  const { wallet, recipient, intent } = plan
  const endpoint = rpc.label
  if (authorization !== undefined)
    throw refuse(swap, 'Only a swap of an opaque router can be written off.', { endpoint, state })
  const { confirmations } = chain
  const seen = await observe(rpc, watchedAttempts(swap), { confirmations })
  const step = next(swap, seen)
  if (step.do !== 'finish' || step.as !== 'SETTLED')
    throw refuse(swap, 'The chain does not show the swap as mined and deep: it is followed on.', {
      ...{ endpoint, state },
      step: step.do,
    })
  const { receipt } = step
  assert(router !== undefined, 'a mined swap was quoted')
  const mined = swap.attempts.find(({ bytes }) => bytes.hash === receipt.hash)
  const settling = {
    ...{ receipt, router, authorization, wallet, recipient },
    ...{ sell: intent.sell.token, buy: intent.buy },
    ...{ planned: intent.sell.wei, rounding: tokens.rounding },
    value: mined?.bytes.transaction.value ?? 0n,
  }
  const moves = await shownMoves(rpc, settling)
  if (moves.length === 0) return { receipt, lost: undefined }
  const lost = await measureLoss(rpc, settling).catch((error: unknown) => {
    if (error instanceof BallastError && error.code === 'SETTLEMENT_UNMEASURED') return undefined
    throw error
  })
  if (lost === undefined)
    throw refuse(
      swap,
      'The chain shows that something moved with the swap, and it is no plain loss.',
      {
        endpoint,
        transaction: receipt.hash,
        moved: moves.join('; '),
      },
    )
  return { receipt, lost }
}
