import type { Config } from '../../config/config.ts'
import { dayMs, secondMs } from '../../core/spans.ts'
import { within } from '../../core/within.ts'
import { pathOfWallet } from '../../dashboard/createFleetDashboard.ts'
import type { WalletView } from '../../dashboard/fleetPage.ts'
import { stateWord } from '../../dashboard/overview.ts'
import type { Health } from '../../dashboard/views.ts'
import type { sourcesOf } from '../dashboard/serveDashboard.ts'
import { holdsWallet } from './holdsWallet.ts'
import type { Member } from './members.ts'

/** A node answers in a fraction of it; monitors wait for ten seconds. */
const lookMs = 3 * secondMs

/** The view of a wallet. One whose node does not answer keeps no other waiting: its journal says what it has. */
export function viewOfWallet(
  { wallet: { name, address }, chain }: Config,
  {
    queries,
    health,
    blind,
    clock,
  }: Pick<ReturnType<typeof sourcesOf>, 'queries' | 'health' | 'blind' | 'clock'>,
): (members: readonly Member[]) => Promise<WalletView> {
  let looking: Promise<Health> | undefined
  /** One at a time, however often the page is opened meanwhile. */
  const look = (): Promise<Health> => {
    const begun =
      looking ??
      health().finally(() => {
        looking = undefined
      })
    looking = begun
    return begun
  }
  return async (members) => {
    const [state, value, locks, fills, open] = await Promise.all([
      within(look(), { ms: lookMs, clock }).then((seen) => seen ?? blind()),
      queries.value(clock.now() - dayMs),
      queries.locks(),
      queries.fills(1),
      queries.swaps({ limit: 20, outcome: 'open' }),
    ])
    const trading = members.find(({ wallets }) => wallets.includes(name))
    const isMissing = trading === undefined && !holdsWallet(locks, { address, open: open.length })
    return {
      ...{ name, path: pathOfWallet(name), chain: chain.name, address },
      state: isMissing ? 'NOT TRADED' : stateWord(state, locks),
      attention: state.attention.map(({ code, sentence }) => ({ code, sentence })),
      locks: locks.map(({ code }) => code),
      headAt: state.head?.at ?? null,
      process: trading?.id ?? null,
      ...{ worth: value?.total ?? null, worthAt: value?.at ?? null },
      lastFill: fills[0] ?? null,
      open: open.length,
    }
  }
}
