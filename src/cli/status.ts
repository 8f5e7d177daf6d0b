import { existsSync } from 'node:fs'
import { lockHolder } from '../bot/journal/lockHolder.ts'
import { openJournal } from '../bot/journal/openJournal.ts'
import type { SwapRecord } from '../bot/record.ts'
import { display } from '../core/display.ts'
import { defineCommand } from './command.ts'
import { liabilityText } from './compose/liabilityText.ts'
import { lockText } from './compose/lockText.ts'
import { table } from './table.ts'

export const command = defineCommand({
  name: 'status',
  summary: 'wallet, swaps under way and locks, from the journal alone',
  example: 'ballast status',
  async run({ config: load, clock, json, terminal }) {
    const config = await load('journal')
    const { chain, wallet, database, haltFile } = config
    const { name, address } = wallet
    const pid = lockHolder(database.path) ?? null
    if (!existsSync(database.path) && !existsSync(haltFile)) {
      if (json)
        terminal.json({
          wallet: { name, address, nextNonce: null },
          pid,
          swaps: [],
          allowances: [],
          locks: [],
        })
      else terminal.out(`${name} ${address}: no journal yet, no locks.`)
      return
    }
    const journal = await openJournal({ path: database.path, haltFile, clock })
    try {
      const state = await journal.walletState({ chainId: chain.chainId, wallet: address })
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
          swaps,
          allowances,
          locks,
        })
        return
      }
      terminal.out(
        `${name} ${address} on ${chain.name}, next nonce ${state?.nextNonce ?? 'not known yet'}`,
      )
      if (pid !== null) terminal.out(`Process ${pid} spends from this journal.`)
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
