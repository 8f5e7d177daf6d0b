import { holdJournal } from '../bot/journal/holdJournal.ts'
import { checkIntegrity, type Integrity } from '../bot/journal/store/checkIntegrity.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'

type Fence = Awaited<ReturnType<typeof holdJournal>>['fence']

/** The checks of a journal before anything is done with it. */
type Checked = {
  readonly locks: { assertUnchanged(): Promise<unknown> }
  readonly log: { assertConsistent(): Promise<unknown> }
  shut(): Promise<void>
}

/**
 * A journal that this process alone spends from, and that agrees with its log. With a `stateFolder` this process alone
 * spends from the wallet too. `open` opens it: the live one, or that of runs on paper. It is closed with `opened`.
 */
export async function openHeldJournal<journal extends Checked>(
  {
    config: { chain, wallet, database },
    stateFolder,
    clock,
    open,
  }: {
    config: Config
    stateFolder: string | undefined
    clock: Clock
    open: (fence: Fence) => Promise<journal>
  },
  opened: AsyncDisposableStack,
): Promise<{ readonly journal: journal; readonly whole: Integrity['whole'] }> {
  const { fence } = opened.adopt(
    await holdJournal({
      ...{ database, chainId: chain.chainId, wallet: wallet.address },
      ...{ stateFolder, clock },
    }),
    (hold) => hold.release(),
  )
  await using reading = new AsyncDisposableStack()
  const integrity = reading.adopt(checkIntegrity(database), (one) => one.stop())
  const journal = opened.adopt(await open(fence), (one) => one.shut())
  // The reading of the whole file ends before the journal is closed.
  opened.use(reading.move())
  await journal.locks.assertUnchanged()
  await journal.log.assertConsistent()
  return { journal, whole: integrity.whole }
}
