import { journalExists } from '../bot/journal/journalExists.ts'
import { nameOf } from '../bot/journal/nameOf.ts'
import { readJournal } from '../bot/journal/readJournal.ts'
import type { SwapRecord } from '../bot/record.ts'
import type { Config } from '../config/config.ts'
import { display } from '../core/display.ts'
import { BallastError } from '../core/errors.ts'
import { defineCommand } from './command.ts'
import { table } from './table.ts'
import { wholeNumber } from './wholeNumber.ts'

export const command = defineCommand({
  name: 'history',
  summary: 'what was decided and done, with the reasons',
  example: 'ballast history --limit 20',
  options: {
    limit: {
      flags: '--limit <n>',
      summary: 'how many swaps, newest first (20)',
      read: wholeNumber({ name: '--limit', min: 1, max: 1_000 }),
    },
    before: { flags: '--before <id>', summary: 'only swaps older than this one' },
    strategy: { flags: '--strategy <name>', summary: 'only swaps of this strategy' },
  },
  async run({ config: load, options, json, terminal, clock }) {
    const config = await load()
    const { strategy } = options
    if (!(await journalExists(config.database))) {
      if (strategy !== undefined) assertConfigured(strategy, config)
      if (json) terminal.json({ swaps: [] })
      else terminal.out(`No swaps yet: there is no journal at ${nameOf(config.database)}.`)
      return
    }
    const journal = await readJournal({ ...config, clock })
    try {
      const { limit = 20, before } = options
      if (before !== undefined && (await journal.record(before)) === undefined)
        throw new BallastError(`There is no swap '${before.slice(0, 64)}'.`, {
          code: 'UNKNOWN_SWAP',
          remedy: 'skip',
          fault: 'usage',
        })
      const swaps = await journal.history({
        limit,
        ...(before === undefined ? {} : { before }),
        ...(strategy === undefined ? {} : { strategy }),
      })
      // One that is configured no more still has its history.
      if (strategy !== undefined && (await journal.history({ limit: 1, strategy })).length === 0)
        assertConfigured(strategy, config)
      if (json) terminal.json({ swaps })
      else if (swaps.length === 0) terminal.out('No swap matches.')
      else terminal.out(table([header, ...swaps.map(row)]))
    } finally {
      await journal.shut()
    }
  },
})

function assertConfigured(name: string, { strategies }: Config): void {
  const known = ['manual', ...strategies.map((strategy) => strategy.name)]
  if (known.includes(name)) return
  throw new BallastError(
    `No swap and no strategy has the name '${display(name, 64)}'. Known names: ${known.join(', ')}.`,
    { code: 'UNKNOWN_STRATEGY', remedy: 'skip', fault: 'usage' },
  )
}

const header = ['time', 'strategy', 'state', 'sell', 'received', 'bps', 'attempts', 'transaction']

function row(swap: SwapRecord): string[] {
  const { sold, received, sell, buy, againstIndicationBps, attempts, txHash, code } = swap
  return [
    `${swap.createdAt.slice(0, 19)}Z`,
    swap.strategy,
    code === null ? swap.state : `${swap.state} ${code}`,
    `${(sold ?? sell).text} ${sell.token}`,
    received === null ? `– ${buy}` : `${received.text} ${received.token}`,
    againstIndicationBps === null ? '' : againstIndicationBps.toFixed(2),
    attempts.map(({ kind, nonce }) => `${kind.toLowerCase()}#${nonce}`).join(' '),
    txHash ?? '',
  ]
}
