import { shownMoves } from '../bot/confirm/measure.ts'
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
import { assert } from '../core/assert.ts'
import type { Clock } from '../core/clock.ts'
import { display } from '../core/display.ts'
import { ballastError } from '../core/errors.ts'
import { openMarket } from './openMarket.ts'
import { whoRuns } from './whoRuns.ts'

type Writing = {
  readonly swapId: string
  readonly reason: string
  readonly clock: Clock
}

/**
 * Ends a mined swap of an opaque router that moved nothing, or whose moves no node can tell any more, by a person's word:
 * nothing else ends it. Throws NOT_WRITTEN_OFF where the chain, or the witness, shows that it moved something, or that it
 * has another end.
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
  const receipt = await emptyReceipt(config, swap, market.rpc)
  if (market.witness !== undefined) await emptyReceipt(config, swap, market.witness.rpc)
  await journal.attempts.writeOff({ swapId, receipt, reason, by: whoRuns() })
}

async function openSwap(journal: Journal, swapId: string): Promise<Swap> {
  if (!(await journal.swaps.open()).includes(swapId))
    throw ballastError('UNKNOWN_SWAP', `There is no undecided swap '${display(swapId, 64)}'.`)
  return journal.swaps.load(swapId)
}

/** The receipt of a swap that one node shows as mined, deep and without a move. */
async function emptyReceipt({ chain }: Config, swap: Swap, rpc: Rpc): Promise<Receipt> {
  const { plan, router, authorization, state } = swap
  const { swapId, wallet, recipient, intent } = plan
  const refuse = (sentence: string, facts: Readonly<Record<string, string>>) =>
    ballastError('NOT_WRITTEN_OFF', sentence, { swapId, endpoint: rpc.label, ...facts })
  if (authorization !== undefined)
    throw refuse('Only a swap of an opaque router can be written off.', { state })
  const { confirmations } = chain
  const seen = await observe(rpc, watchedAttempts(swap), { confirmations })
  const step = next(swap, seen)
  if (step.do !== 'finish' || step.as !== 'SETTLED')
    throw refuse('The chain does not show the swap as mined and deep: it is followed on.', {
      state,
      step: step.do,
    })
  const { receipt } = step
  assert(router !== undefined, 'a mined swap was quoted')
  const mined = swap.attempts.find(({ bytes }) => bytes.hash === receipt.hash)
  const moves = await shownMoves(rpc, {
    ...{ receipt, router, authorization, wallet, recipient },
    ...{ sell: intent.sell.token, buy: intent.buy, value: mined?.bytes.transaction.value ?? 0n },
  })
  if (moves.length > 0)
    throw refuse('The chain shows that something moved in the block of the swap.', {
      transaction: receipt.hash,
      moved: moves.join('; '),
    })
  return receipt
}
