import { existsSync } from 'node:fs'
import { openJournal } from '../bot/journal/openJournal.ts'
import type { SwapRecord } from '../bot/record.ts'
import { defineCommand } from './command.ts'
import { readCount } from './options/readCount.ts'
import { table } from './table.ts'

export const command = defineCommand({
  name: 'history',
  summary: 'what was decided and done, with the reasons',
  example: 'ballast history --limit 20',
  options: {
    limit: { flags: '--limit <n>', summary: 'how many swaps, newest first (20)', read: readCount },
    before: { flags: '--before <id>', summary: 'only swaps older than this one' },
    strategy: { flags: '--strategy <name>', summary: 'only swaps of this strategy' },
  },
  async run({ config: load, options, json, terminal, clock }) {
    const config = await load()
    if (!existsSync(config.database.path)) {
      if (json) terminal.json({ swaps: [] })
      else terminal.out(`No swaps yet: ${config.database.path} does not exist.`)
      return
    }
    const journal = await openJournal({ path: config.database.path, clock })
    try {
      const { limit = 20, before, strategy } = options
      const swaps = await journal.history({
        limit: Math.min(limit, 1_000),
        ...(before === undefined ? {} : { before }),
        ...(strategy === undefined ? {} : { strategy }),
      })
      if (json) terminal.json({ swaps })
      else if (swaps.length === 0) terminal.out('No swaps yet.')
      else terminal.out(table([header, ...swaps.map(row)]))
    } finally {
      await journal.shut()
    }
  },
})

const header = ['time', 'strategy', 'state', 'sell', 'received', 'bps', 'attempts', 'transaction']

function row(swap: SwapRecord): string[] {
  const { sold, received, sell, buy, againstIndicationBps, attempts, txHash, code } = swap
  return [
    swap.createdAt.slice(0, 19),
    swap.strategy,
    code === null ? swap.state : `${swap.state} ${code}`,
    `${(sold ?? sell).text} ${sell.token}`,
    received === null ? `- ${buy}` : `${received.text} ${received.token}`,
    againstIndicationBps === null ? '' : againstIndicationBps.toFixed(2),
    attempts.map(({ kind, nonce }) => `${kind.toLowerCase()}#${nonce}`).join(' '),
    txHash ?? '',
  ]
}
