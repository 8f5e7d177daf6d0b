import { readJournal } from '../bot/journal/readJournal.ts'
import { journalExists } from '../bot/journal/schema/openDatabase.ts'
import { revoke } from '../bot/life/approvals.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import { sameAddress } from '../core/token.ts'
import { liabilityText } from './journalViews.ts'
import { openMarket } from './openMarket.ts'
import { openTrain, troubleNotes } from './openTrain.ts'
import { recover } from './recover.ts'

type Around = {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly note: (line: string) => void
}

type Listed = ReturnType<typeof liabilityText> & { readonly revoked: boolean }

/** Allowances that swaps left behind, from the journal alone: needs no key and no chain. */
export async function listAllowances(config: Config, clock: Clock): Promise<readonly Listed[]> {
  if (!(await journalExists(config.database))) return []
  await using opened = new AsyncDisposableStack()
  const journal = opened.adopt(await readJournal({ ...config, clock }), (one) => one.shut())
  const left = await journal.allowances.liabilities(config.wallet.address)
  return left.map((one) => ({ ...liabilityText(one, config), revoked: false }))
}

/** Signs and sends the end of every allowance that a swap left behind, after everything open is decided. */
export async function takeBackAllowances(
  config: Config,
  { clock, signal, note }: Around,
): Promise<readonly Listed[]> {
  await using opened = new AsyncDisposableStack()
  const market = opened.adopt(await openMarket(config, clock), (one) => one.close())
  const onTrouble = troubleNotes(note)
  const { train, journal } = opened.adopt(
    await openTrain({ config, market, clock, onTrouble }),
    (one) => one.close(),
  )
  await recover({ config, market, train, signal, onResumed: async () => {}, warn: note })
  const { address } = config.wallet
  const left = await journal.allowances.liabilities(address)
  for (const liability of left) {
    if (signal.aborted) break
    await revoke(liability, train, signal)
  }
  const still = await journal.allowances.liabilities(address)
  return left.map((one) => ({
    ...liabilityText(one, config),
    revoked: !still.some(({ token }) => sameAddress(token, one.token)),
  }))
}
