import { drive, resume } from '../../src/bot/life/drive.ts'
import type { Drivetrain } from '../../src/bot/life/train.ts'
import { type Planned, pass } from '../../src/bot/stages.ts'
import { isFinal } from '../../src/bot/state.ts'
import { getTransactionCount } from '../../src/chain/calls/account.ts'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import { BallastError } from '../../src/core/errors.ts'
import type { Life } from './life.ts'
import { openBot } from './openBot.ts'
import type { Setup } from './setup.ts'
import { planOf, type Wish } from './wish.ts'
import { chainId, wallet } from './world.ts'

/** One life of the bot: it decides what is open, then works off what is wished for. Resolves when all of it has an end. */
export async function startProcess(
  wishes: readonly Wish[],
  { setup, life, plansMax }: { setup: Setup; life: Life; plansMax: number },
): Promise<void> {
  const { train, rpc } = await openBot(setup, life)
  await recover(train, rpc)
  const budget = (symbol: string) =>
    wishes.reduce((sum, { sell }) => sum + (sell.token.symbol === symbol ? sell.wei : 0n), 0n)
  for (const wish of wishes)
    await grant(wish, { train, plansMax, budget: budget(wish.sell.token.symbol) })
}

/**
 * What a start does before anything new: it decides what is open, and holds the wallet to its nonce. The comparison of
 * the books with the chain, which follows, is not simulated: here the invariants are checked from outside.
 */
async function recover(train: Drivetrain, rpc: Rpc): Promise<void> {
  const { journal } = train
  await journal.locks.guard('send', { wallet })
  for (const swapId of await journal.swaps.open()) await resume(swapId, train)
  const nonceOfChain = await rpc.request(getTransactionCount(wallet))
  await journal.wallet.adopt({ chainId, wallet, nonceOfChain })
}

/** As the `run` command's tick does it: what is open first, then a plan, then the drive. */
async function grant(
  wish: Wish,
  { train, plansMax, budget }: { train: Drivetrain; plansMax: number; budget: bigint },
): Promise<void> {
  const { journal, clock } = train
  for (let nth = 0; nth < plansMax; nth++) {
    const plan = planOf(wish, nth)
    for (const swapId of await journal.swaps.open()) await resume(swapId, train)
    await journal.locks.guard('plan', { wallet, strategy: plan.strategy })
    const planned = pass<Planned>(plan)
    const fresh = await journal.swaps.reserve(planned, ({ sold }) => {
      // I6: what is undecided counts as spent, what is dead does not: there is room for each wish once.
      if (sold + wish.sell.wei > budget)
        throw new Error(`I6: ${sold} is taken of ${budget}, and ${plan.swapId} does not fit`)
    })
    if (!fresh) {
      const { state } = await journal.swaps.load(plan.swapId)
      if (!isFinal(state)) throw new Error(`swap ${plan.swapId} is ${state} and nobody follows it`)
      if (state === 'SETTLED') return
      continue
    }
    try {
      const { state } = await drive(planned, train)
      if (state === 'SETTLED') return
    } catch (error) {
      if (!isOrdinary(error)) throw error
    }
    await clock.sleep(1_000)
  }
  // What an endpoint or a server that was away has left undecided.
  for (const swapId of await journal.swaps.open()) await resume(swapId, train)
}

function isOrdinary(error: unknown): boolean {
  return (
    error instanceof BallastError &&
    error.remedy !== 'halt' &&
    (error.fault === 'refused' ||
      error.fault === 'upstream' ||
      error.code === 'INTERRUPTED' ||
      error.code === 'LOCKED')
  )
}
