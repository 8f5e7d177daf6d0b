import { haltByFile } from '../bot/journal/haltByFile.ts'
import { journalExists } from '../bot/journal/journalExists.ts'
import { lockHolder } from '../bot/journal/lockHolder.ts'
import { readJournal } from '../bot/journal/readJournal.ts'
import type { SwapRecord } from '../bot/record.ts'
import { display } from '../core/display.ts'
import { defineCommand } from './command.ts'
import { liabilityText } from './compose/liabilityText.ts'
import { lockText } from './compose/lockText.ts'
import { balancesText, moneyText } from './compose/paper/moneyText.ts'
import { onPaper } from './compose/paper/onPaper.ts'
import { paperOption } from './compose/paper/paperOption.ts'
import { table } from './table.ts'

export const command = defineCommand({
  name: 'status',
  summary: 'wallet, swaps under way and locks, from the journal alone',
  example: 'ballast status',
  options: { paper: paperOption },
  async run({ config: load, options, clock, json, terminal }) {
    const written = await load('journal')
    const config = options.paper ? onPaper(written) : written
    const { chain, wallet, database, haltFile } = config
    const { name, address } = wallet
    const pid = (database.dialect === 'sqlite' ? lockHolder(database.path) : undefined) ?? null
    if (!(await journalExists(database))) {
      const halt = haltByFile(haltFile, { at: clock.now() })
      const locks = halt === undefined ? [] : [lockText(halt)]
      const none = { wallet: { name, address, nextNonce: null }, pid, swaps: [], allowances: [] }
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
      const state = await journal.walletState(owner)
      const money = await journal.paperBalances(owner)
      const records = await Promise.all((await journal.openSwaps()).map((id) => journal.record(id)))
      const swaps = records.flatMap((record) => (record === undefined ? [] : [record]))
      const allowances = (await journal.liabilities(address)).map((one) =>
        liabilityText(one, config),
      )
      const locks = (await journal.locks()).map(lockText)
      if (json) {
        terminal.json({
          wallet: { name, address, nextNonce: state?.nextNonce ?? null },
          pid,
          ...(holder === undefined ? {} : { holder }),
          ...(options.paper ? { balances: balancesText(money, config) } : {}),
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

const lockHeader = ['lock', 'kind', 'scope', 'code', 'since', 'until', 'reason']

function lockRow(lock: ReturnType<typeof lockText>): string[] {
  const { id, kind, scope, code, reason, openedAt, expiresAt } = lock
  return [String(id), kind, scope, code, openedAt, expiresAt ?? 'resume', display(reason, 1_000)]
}
