import { heldSince, lockHolder } from '../bot/journal/holdJournal.ts'
import { haltByFile } from '../bot/journal/locks/guard.ts'
import type { JournalReader } from '../bot/journal/readJournal.ts'
import { lockText } from '../bot/lock/lockText.ts'
import type { Lock } from '../bot/lock.ts'
import { type Attention, attentionText, lockItem, runStateOf } from '../bot/report/attention.ts'
import { checkStrategies } from '../bot/strategy/load.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import { balancesText } from './paperMoney.ts'
import { liabilityText, strategyView } from './reading/journalViews.ts'
import { readAttention, undoneText } from './reading/readAttention.ts'

type Latest = Awaited<ReturnType<JournalReader['decisions']['latest']>>

type Source = {
  readonly config: Config
  /** Undefined where there is none yet. */
  readonly journal: JournalReader | undefined
  readonly clock: Clock
  /** Whether the journal is that of runs on paper. */
  readonly paper: boolean
}

/** How the bot stands by its journal alone: plain data, with instants as ISO 8601. */
export async function readStatus({ config, journal, clock, paper }: Source) {
  const { chain, wallet, database, haltFile } = config
  const { name, address } = wallet
  const { loaded } = checkStrategies(config)
  const viewed = (latest: Latest) =>
    loaded.map((one) => strategyView(one, { latest, now: clock.now() }))
  const holder = database.dialect === 'sqlite' ? lockHolder(database.path) : undefined
  const isHeld = holder === 'unknown' ? undefined : holder !== undefined
  const pid = (holder === 'unknown' ? undefined : holder?.pid) ?? null
  if (journal === undefined) {
    const halt = haltByFile(haltFile, { at: clock.now() })
    const locks = halt === undefined ? [] : [halt]
    return {
      ...standingOf({
        isRunning: isHeld,
        latest: [],
        locks,
        attention: locks.map(lockItem),
      }),
      wallet: { name, address, nextNonce: null },
      ...{ pid, strategies: viewed([]), undone: [], swaps: [], allowances: [] },
    }
  }
  const lease = await journal.leaseHolder()
  const owner = { chainId: chain.chainId, wallet: address }
  const state = await journal.wallet.state(owner)
  const money = await journal.paper.balances(owner)
  const records = await Promise.all(
    (await journal.swaps.open()).map((id) => journal.swaps.record(id)),
  )
  const allowances = await journal.allowances.liabilities(owner)
  const isRunning = lease === undefined ? isHeld : true
  const held = database.dialect === 'sqlite' ? heldSince(database.path) : lease?.since
  const runningSince = isRunning ? held : undefined
  const { attention, locks, latest, undone } = await readAttention({
    ...{ journal, database, config, clock, runningSince },
    ...{ isLive: !paper, strategies: loaded },
  })
  return {
    ...standingOf({ isRunning, latest, locks, attention }),
    wallet: { name, address, nextNonce: state?.nextNonce ?? null },
    pid,
    ...(lease === undefined ? {} : { holder: lease.holder }),
    ...(paper ? { balances: balancesText(money, config) } : {}),
    strategies: viewed(latest),
    undone: undone.map(undoneText),
    swaps: records.filter((record) => record !== undefined),
    allowances: allowances.map((one) => liabilityText(one, config)),
  }
}

type Standing = {
  /** Undefined where that cannot be told. */
  readonly isRunning: boolean | undefined
  readonly latest: Latest
  readonly locks: readonly Lock[]
  readonly attention: readonly Attention[]
}

function standingOf({ isRunning, latest, locks, attention }: Standing) {
  const state = runStateOf({ isRunning, hasDecided: latest.length > 0, locks, attention })
  return {
    state,
    attention: attention.map(attentionText),
    locks: locks.map(lockText),
  }
}
