import { journalName } from '../bot/journal/store/database.ts'
import type { Config } from '../config/config.ts'
import { usageError } from '../core/errors.ts'
import { collect } from '../story/report/collect.ts'
import { formatReport } from '../story/report/formatReport.ts'
import { reportText } from '../story/report/reportText.ts'
import { assertConfigured } from './assertConfigured.ts'
import { defineCommand } from './command.ts'
import { existingJournal } from './needs.ts'
import { paperOption, readInstant, wholeNumber } from './options.ts'

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
  config: 'journal',
  needs: { journal: existingJournal },
  async run({ config, journal, options, clock }) {
    const { since, until, strategy, swaps = 10 } = options
    if (since !== undefined && until !== undefined && since >= until)
      throw usageError('--since is not before --until: nothing can be between them.')
    const head = {
      mode: options.paper ? 'paper' : 'live',
      market: syntheticChainIds.includes(config.chain.chainId) ? 'synthetic' : 'real',
      wallet: config.wallet.address,
      chain: config.chain.name,
      until: new Date(until ?? clock.now()).toISOString(),
      strategy: strategy ?? null,
    }
    const report =
      journal === undefined
        ? undefined
        : reportText(await collect(journal, { since, until, strategy, swaps }, config))
    // A strategy renamed since may still have traded.
    if (strategy !== undefined && (report?.swaps ?? 0) === 0) assertConfigured(strategy, config)
    return { ...head, ...(report ?? { swaps: 0 }) }
  },
  text(report, { config, options }) {
    const title = titleOf(config, report)
    if (!('slots' in report))
      return `${title}\nNothing to report yet: there is no journal at ${journalName(config.database)}. It begins with: ballast run${options.paper ? ' --paper' : ''}`
    const { swaps, slots, from } = report
    if (swaps === 0 && slots.counts.length === 0)
      return `${title}\nNo swap was planned in that time. ballast history lists all there are; ballast explain NAME says why not.`
    const first = from === null ? '' : `, the first planned ${from.slice(0, 19)}Z`
    const currency = config.tokens.native.symbol
    return `${title}\n${swaps} ${swaps === 1 ? 'swap' : 'swaps'}${first}\n\n${formatReport(report, { currency })}`
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
