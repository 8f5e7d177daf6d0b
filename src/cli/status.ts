import { liabilityText, strategyView } from '../app/journalViews.ts'
import { balancesText, moneyText } from '../app/paperMoney.ts'
import { lockHolder } from '../bot/journal/holdJournal.ts'
import { haltByFile } from '../bot/journal/locks/guard.ts'
import type { JournalReader } from '../bot/journal/readJournal.ts'
import { lockText } from '../bot/lock/lockText.ts'
import type { SwapRecord } from '../bot/record.ts'
import { checkStrategies } from '../bot/strategy/load.ts'
import { showText } from '../core/amount.ts'
import { display } from '../core/display.ts'
import { dayMs } from '../core/spans.ts'
import { table } from '../core/textLayout.ts'
import type { StrategyView } from '../dashboard/queries.ts'
import { defineCommand } from './command.ts'
import { existingJournal } from './needs.ts'
import { paperOption } from './options.ts'

type Latest = Awaited<ReturnType<JournalReader['decisions']['latest']>>
type Undone = Awaited<ReturnType<JournalReader['slots']['missedAndFailed']>>[number]

export const command = defineCommand({
  name: 'status',
  summary: 'wallet, strategies, swaps under way and locks, from the journal alone',
  example: 'ballast status',
  options: { paper: paperOption },
  config: 'journal',
  needs: { journal: existingJournal },
  async run({ config, journal, options, clock }) {
    const { chain, wallet, database, haltFile } = config
    const { name, address } = wallet
    const { loaded } = checkStrategies(config)
    const viewed = (latest: Latest) =>
      loaded.map((one) => strategyView(one, { latest, now: clock.now() }))
    const pid = (database.dialect === 'sqlite' ? lockHolder(database.path) : undefined) ?? null
    if (journal === undefined) {
      const halt = haltByFile(haltFile, { at: clock.now() })
      return {
        wallet: { name, address, nextNonce: null },
        ...{ pid, strategies: viewed([]), undone: [], swaps: [], allowances: [] },
        locks: halt === undefined ? [] : [lockText(halt)],
      }
    }
    const holder = await journal.leaseHolder()
    const owner = { chainId: chain.chainId, wallet: address }
    const state = await journal.wallet.state(owner)
    const money = await journal.paper.balances(owner)
    const records = await Promise.all(
      (await journal.swaps.open()).map((id) => journal.swaps.record(id)),
    )
    const allowances = await journal.allowances.liabilities(address)
    const locks = await journal.locks.live()
    const since = clock.now() - dayMs
    const undone = await journal.slots.missedAndFailed({ since, limit: undoneMax })
    return {
      wallet: { name, address, nextNonce: state?.nextNonce ?? null },
      pid,
      ...(holder === undefined ? {} : { holder }),
      ...(options.paper ? { balances: balancesText(money, config) } : {}),
      strategies: viewed(await journal.decisions.latest()),
      undone: undone.map(undoneText),
      swaps: records.filter((record) => record !== undefined),
      allowances: allowances.map((one) => liabilityText(one, config)),
      locks: locks.map(lockText),
    }
  },
  text(status, { config, journal }) {
    const { wallet, pid, strategies, undone, swaps, allowances, locks } = status
    const lockTable = table([lockHeader, ...locks.map(lockRow)])
    const title = `${wallet.name} ${wallet.address}`
    if (journal === undefined)
      return locks.length === 0
        ? `${title}: no journal yet, no locks.`
        : `${title}: no journal yet.\n${lockTable}`
    const { balances, holder } = status
    return [
      balances === undefined
        ? `${title} on ${config.chain.name}, next nonce ${wallet.nextNonce ?? 'not known yet'}`
        : `${title} on ${config.chain.name}, on paper: ${moneyText(balances, config)}`,
      ...(pid === null ? [] : [`Process ${pid} spends from this journal.`]),
      ...(holder === undefined
        ? []
        : [`Process ${display(holder, 256)} spends from this journal.`]),
      ...(pid === null && holder === undefined ? [stoppedLine(strategies)] : []),
      ...(strategies.length === 0 ? [] : [table([strategyHeader, ...strategies.map(strategyRow)])]),
      ...undone.map(undoneLine),
      ...(undone.length === undoneMax
        ? ['There may be more: ballast export --what slots has every slot.']
        : []),
      swaps.length === 0 ? 'No swap is under way.' : table(swaps.map(row)),
      ...allowances.map(
        ({ amount, spender }) =>
          `${spender} may still take ${showText(amount)}, which no swap needs: ballast revoke --live takes it back.`,
      ),
      locks.length === 0 ? 'No lock holds.' : lockTable,
    ].join('\n')
  },
})

/** No process holds the journal: what its tables say is of the past. */
function stoppedLine(strategies: readonly StrategyView[]): string {
  const decided = strategies.flatMap(({ decidedAt }) => decidedAt ?? [])
  const last = decided.sort().at(-1)
  return last === undefined
    ? 'STOPPED: the bot does not run, and has not decided anything yet.'
    : `STOPPED: the bot does not run. Its last decision was at ${last}.`
}

function row({ id, strategy, state, sell, buy, createdAt, txHash }: SwapRecord): string[] {
  return [id, strategy, state, `${showText(sell)} for ${buy}`, createdAt, txHash ?? '']
}

/** A person looks at least once a day; `export --what slots` has all of them. */
const undoneMax = 20

const strategyHeader = ['strategy', 'asked again', 'last asked', 'decision', 'reason']

function strategyRow({ name, nextAt, decidedAt, decision, reason }: StrategyView): string[] {
  return [name, nextAt ?? '', decidedAt ?? 'never', decision ?? '', display(reason ?? '', 1_000)]
}

function undoneText({ strategy, slot, upto, slots, state, reason }: Undone) {
  const [from, until] = [slot, upto].map((at) => new Date(at).toISOString())
  return { strategy, slots, from, until, state, reason }
}

function undoneLine({
  strategy,
  slots,
  from,
  until,
  state,
  reason,
}: ReturnType<typeof undoneText>) {
  const was = state === 'failed' ? 'failed' : slots === 1 ? 'was missed' : 'were missed'
  const which = slots === 1 ? `the slot of ${from}` : `${slots} slots from ${from} to ${until}`
  return `NOT DONE ${strategy}: ${which} ${was}: ${display(reason, 1_000)}`
}

const lockHeader = ['lock', 'kind', 'scope', 'code', 'since', 'until', 'reason']

function lockRow(lock: ReturnType<typeof lockText>): string[] {
  const { id, kind, scope, code, reason, openedAt, expiresAt } = lock
  return [String(id), kind, scope, code, openedAt, expiresAt ?? 'resume', display(reason, 1_000)]
}
