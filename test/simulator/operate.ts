import type { Journal } from '../../src/bot/journal/openJournal.ts'
import { BallastError } from '../../src/core/errors.ts'
import type { Network } from './network.ts'
import { chainId, wallet } from './world.ts'

/** A person has looked: what `ballast resume --reason …` does, with the nonce that the chain really expects. */
export async function operate({
  journal,
  network,
  say,
}: {
  journal: Journal
  network: Network
  say: (what: string) => void
}): Promise<void> {
  const reason = 'somebody looked'
  try {
    const nonceOfChain = network.head().state.nonce
    await journal.wallet.release({ chainId, wallet, nonceOfChain, reason })
    say(`operator: nonce ${nonceOfChain}`)
  } catch (error) {
    if (!(error instanceof BallastError) || error.code !== 'SWAP_UNDECIDED') throw error
    say('operator: undecided')
  }
  await journal.locks.release({ id: undefined, reason })
}
