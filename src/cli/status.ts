import { liabilityText, strategyView } from '../app/journalViews.ts'
import { onPaper, paperOption } from '../app/onPaper.ts'
import { balancesText, moneyText } from '../app/paperMoney.ts'
import { lockHolder } from '../bot/journal/holdJournal.ts'
import { haltByFile } from '../bot/journal/locks/guard.ts'
import { type JournalReader, readJournal } from '../bot/journal/readJournal.ts'
import { journalExists } from '../bot/journal/schema/openDatabase.ts'
import { lockText } from '../bot/lock/lockText.ts'
import type { SwapRecord } from '../bot/record.ts'
import { checkStrategies } from '../bot/strategy/load.ts'
import { display } from '../core/display.ts'
import { table } from '../core/textLayout.ts'
import type { StrategyView } from '../dashboard/queries.ts'
import { defineCommand } from './command.ts'

type Latest = Awaited<ReturnType<JournalReader['decisions']['latest']>>
type Undone = Awaited<ReturnType<JournalReader['slots']['missedAndFailed']>>[number]

export const command = defineCommand({
  name: 'status',
  summary: 'wallet, strategies, swaps under way and locks, from the journal alone',
  example: 'ballast status',
  options: { paper: paperOption },
  async run({ config: load, options, clock, json, terminal }) {
    const written = await load('journal')
    const config = options.paper ? onPaper(written) : written
    const { chain, wallet, database, haltFile } = config
    const { name, address } = wallet
    const { loaded } = checkStrategies(config)
    const viewed = (latest: Latest) =>
      loaded.map((one) => strategyView(one, { latest, now: clock.now() }))
    const pid = (database.dialect === 'sqlite' ? lockHolder(database.path) : undefined) ?? null
    if (!(await journalExists(database))) {
      const halt = haltByFile(haltFile, { at: clock.now() })
      const locks = halt === undefined ? [] : [lockText(halt)]
      const none = {
        wallet: { name, address, nextNonce: null },
        pid,
        strategies: viewed([]),
        undone: [],
        swaps: [],
        allowances: [],
      }
      if (json) terminal.json({ ...none, locks })
      else if (locks.length === 0) terminal.out(`${name} ${address}: no journal yet, no locks.`)
      else {
        terminal.out(`${name} ${address}: no journal yet.`)
        terminal.out(table([lockHeader, ...locks.map(lockRow)]))
      }
      return
    }
    const journal = await readJournal({ database, haltFile, clock })
    try {
      const holder = await journal.leaseHolder()
      const owner = { chainId: chain.chainId, wallet: address }
      const state = await journal.wallet.state(owner)
      const money = await journal.paper.balances(owner)
      const records = await Promise.all(
        (await journal.swaps.open()).map((id) => journal.swaps.record(id)),
      )
      const swaps = records.flatMap((record) => (record === undefined ? [] : [record]))
      const allowances = (await journal.allowances.liabilities(address)).map((one) =>
        liabilityText(one, config),
      )
      const locks = (await journal.locks.live()).map(lockText)
      const strategies = viewed(await journal.decisions.latest())
      const since = clock.now() - dayMs
      const undone = (await journal.slots.missedAndFailed({ since, limit: undoneMax })).map(
        undoneText,
      )
      if (json) {
        terminal.json({
          wallet: { name, address, nextNonce: state?.nextNonce ?? null },
          pid,
          ...(holder === undefined ? {} : { holder }),
          ...(options.paper ? { balances: balancesText(money, config) } : {}),
          strategies,
          undone,
          swaps,
          allowances,
          locks,
        })
        return
      }
      terminal.out(
        options.paper
          ? `${name} ${address} on ${chain.name}, on paper: ${moneyText(money, config)}`
          : `${name} ${address} on ${chain.name}, next nonce ${state?.nextNonce ?? 'not known yet'}`,
      )
      if (pid !== null) terminal.out(`Process ${pid} spends from this journal.`)
      if (holder !== undefined)
        terminal.out(`Process ${display(holder, 256)} spends from this journal.`)
      if (strategies.length > 0)
        terminal.out(table([strategyHeader, ...strategies.map(strategyRow)]))
      for (const one of undone) terminal.out(undoneLine(one))
      if (undone.length === undoneMax)
        terminal.out('There may be more: ballast export --what slots has every slot.')
      terminal.out(swaps.length === 0 ? 'No swap is under way.' : table(swaps.map(row)))
      for (const { amount, spender } of allowances)
        terminal.out(
          `${spender} may still take ${amount.text} ${amount.token}, which no swap needs: ballast revoke --live takes it back.`,
        )
      terminal.out(
        locks.length === 0 ? 'No lock holds.' : table([lockHeader, ...locks.map(lockRow)]),
      )
    } finally {
      await journal.shut()
    }
  },
})

function row({ id, strategy, state, sell, buy, createdAt, txHash }: SwapRecord): string[] {
  return [id, strategy, state, `${sell.text} ${sell.token} for ${buy}`, createdAt, txHash ?? '']
}

/** A person looks at least once a day; `export --what slots` has all of them. */
const dayMs = 86_400_000
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
