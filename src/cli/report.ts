import { onPaper, paperOption } from '../app/onPaper.ts'
import { readJournal } from '../bot/journal/readJournal.ts'
import { journalExists } from '../bot/journal/schema/openDatabase.ts'
import { journalName } from '../bot/journal/store/database.ts'
import type { Config } from '../config/config.ts'
import { ballastError } from '../core/errors.ts'
import { collect } from '../story/report/collect.ts'
import { reportText } from '../story/report/reportText.ts'
import { sayReport } from '../story/report/sayReport.ts'
import { assertConfigured } from './assertConfigured.ts'
import { defineCommand } from './command.ts'
import { readInstant } from './options/readInstant.ts'
import { wholeNumber } from './wholeNumber.ts'

/** Chains that exist only for tests: what is traded there is made up. */
const syntheticChainIds = [1_337, 31_337]

export const command = defineCommand({
  name: 'report',
  summary: 'how well it traded: execution, rates, benchmarks, prediction against result',
  example: 'ballast report --since 2026-11-01 --strategy dca-weth',
  options: {
    since: {
      flags: '--since <instant>',
      summary: 'swaps planned then or later: 2026-11-20, or 2026-11-20T09:00:00Z',
      read: readInstant('--since'),
    },
    until: {
      flags: '--until <instant>',
      summary: 'swaps planned before that',
      read: readInstant('--until'),
    },
    strategy: { flags: '--strategy <name>', summary: 'only this strategy' },
    paper: paperOption,
    swaps: {
      flags: '--swaps <n>',
      summary: 'how many single swaps are listed, the newest (10)',
      read: wholeNumber({ name: '--swaps', min: 0, max: 10_000 }),
    },
  },
  async run({ config: load, options, clock, json, terminal }) {
    const written = await load('journal')
    const config = options.paper ? onPaper(written) : written
    const { database, haltFile, wallet, chain } = config
    const { since, until, strategy, swaps = 10 } = options
    assertInOrder({ since, until })
    const head = {
      mode: options.paper ? 'paper' : 'live',
      market: syntheticChainIds.includes(chain.chainId) ? 'synthetic' : 'real',
      wallet: wallet.address,
      chain: chain.name,
      until: new Date(until ?? clock.now()).toISOString(),
      strategy: strategy ?? null,
    }
    const title = titleOf(config, head)
    if (!(await journalExists(database))) {
      if (strategy !== undefined) assertConfigured(strategy, config)
      if (json) terminal.json({ ...head, swaps: 0 })
      else
        terminal.out(
          `${title}\nNothing to report yet: there is no journal at ${journalName(database)}. It begins with: ballast run${options.paper ? ' --paper' : ''}`,
        )
      return
    }
    const journal = await readJournal({ database, haltFile, clock })
    try {
      const collected = await collect(journal, { since, until, strategy, swaps }, config)
      const report = reportText(collected)
      // What was renamed since may still have traded.
      if (strategy !== undefined && report.swaps === 0) assertConfigured(strategy, config)
      if (json) terminal.json({ ...head, ...report })
      else if (report.swaps === 0 && report.slots.counts.length === 0)
        terminal.out(
          `${title}\nNo swap was planned in that time. ballast history lists all there are; ballast explain NAME says why not.`,
        )
      else {
        terminal.out(
          `${title}\n${report.swaps} ${report.swaps === 1 ? 'swap' : 'swaps'}${report.from === null ? '' : `, the first planned ${report.from.slice(0, 19)}Z`}`,
        )
        terminal.out(`\n${sayReport(report, { currency: config.tokens.native.symbol })}`)
      }
    } finally {
      await journal.shut()
    }
  },
})

function titleOf(
  { wallet, chain }: Config,
  { mode, market }: { readonly mode: string; readonly market: string },
): string {
  const labels = [
    ...(mode === 'paper' ? ['PAPER: virtual money, nothing was signed'] : []),
    ...(market === 'synthetic' ? ['SYNTHETIC: a sandbox'] : []),
  ]
  return [`${wallet.name} ${wallet.address} on ${chain.name}`, ...labels].join('\n')
}

function assertInOrder({ since, until }: { since: number | undefined; until: number | undefined }) {
  if (since === undefined || until === undefined || since < until) return
  throw ballastError('USAGE', '--since is not before --until: nothing can be between them.')
}
