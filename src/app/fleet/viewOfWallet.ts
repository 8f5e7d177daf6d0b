import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import { dayMs, secondMs } from '../../core/spans.ts'
import { pathOfWallet } from '../../dashboard/createFleetDashboard.ts'
import type { WalletView } from '../../dashboard/fleetPage.ts'
import { stateWord } from '../../dashboard/overview.ts'
import type { Health, ValueView } from '../../dashboard/views.ts'
import type { sourcesOf } from '../dashboard/serveDashboard.ts'
import type { Member } from './members.ts'

/** A node answers in a fraction of it; monitors wait for ten seconds. */
const lookMs = 3 * secondMs

/** The view of a wallet. One whose node does not answer keeps no other waiting: its journal says what it has. */
export function viewOfWallet(
  { wallet: { name, address }, chain }: Config,
  { queries, health, clock }: Pick<ReturnType<typeof sourcesOf>, 'queries' | 'health' | 'clock'>,
): (members: readonly Member[]) => Promise<WalletView> {
  let reading: Promise<Look> | undefined
  /** One at a time, however often the page is opened meanwhile. */
  const read = (): Promise<Look> => {
    const begun =
      reading ??
      Promise.all([health(), queries.value(clock.now() - dayMs)]).finally(() => {
        reading = undefined
      })
    reading = begun
    return begun
  }
  return async (members) => {
    const [[state, value], locks, fills, open] = await Promise.all([
      within(read(), clock),
      queries.locks(),
      queries.fills(1),
      queries.swaps({ limit: 20, outcome: 'open' }),
    ])
    const trading = members.find(({ wallets }) => wallets.includes(name))
    return {
      ...{ name, path: pathOfWallet(name), chain: chain.name, address },
      state: trading === undefined && locks.length === 0 ? 'NOT TRADED' : stateWord(state, locks),
      attention: state.attention.map(({ code, sentence }) => ({ code, sentence })),
      locks: locks.map(({ code }) => code),
      headAt: state.head?.at ?? null,
      process: trading?.id ?? null,
      worth: value?.total ?? null,
      lastFill: fills[0] ?? null,
      open: open.length,
    }
  }
}

/** What is seen of a wallet through its node. */
type Look = readonly [
  Pick<Health, 'head' | 'ready'> & {
    readonly attention: readonly Pick<Health['attention'][number], 'code' | 'sentence'>[]
  },
  ValueView | null,
]

const noAnswer: Look = [
  {
    ...{ head: null, ready: false },
    attention: [{ code: 'HEAD_UNKNOWN', sentence: 'Its node does not answer.' }],
  },
  null,
]

async function within(read: Promise<Look>, clock: Clock): Promise<Look> {
  const timer = new AbortController()
  const late = () => noAnswer
  try {
    return await Promise.race([read, clock.sleep(lookMs, timer.signal).then(late, late)])
  } finally {
    timer.abort()
  }
}
