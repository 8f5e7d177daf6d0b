import { openJournal } from '../../src/bot/journal/openJournal.ts'
import { BallastError } from '../../src/core/errors.ts'
import type { Disk } from './disk.ts'
import type { Network } from './network.ts'
import { chainId, journalOptions, wallet } from './world.ts'

/** A person has looked: what `ballast resume --reason …` does, with the nonce that the chain really expects. */
export async function operate({
  network,
  say,
}: {
  network: Network
  disk: Disk
  say: (what: string) => void
}): Promise<void> {
  const clock = { now: () => 0, sleep: async () => {} }
  const journal = await openJournal({ ...journalOptions, clock })
  const reason = 'somebody looked'
  try {
    const nonceOfChain = network.head().state.nonce
    await journal.releaseWallet({ chainId, wallet, nonceOfChain, reason })
    say(`operator: nonce ${nonceOfChain}`)
  } catch (error) {
    if (!(error instanceof BallastError) || error.code !== 'SWAP_UNDECIDED') throw error
    say('operator: undecided')
  }
  await journal.releaseLocks({ id: undefined, reason })
}
