import { resolve } from 'node:path'
import { journalName } from '../bot/journal/store/database.ts'
import type { Config } from '../config/config.ts'
import { ballastError, usageError } from '../core/errors.ts'
import { toSecond } from '../core/isoText.ts'
import { type Sink, toFile } from '../story/export/writeRows.ts'
import { monthPage } from '../story/month/monthPage.ts'
import { monthSpan } from '../story/month/monthSpan.ts'
import { monthText } from '../story/month/monthText.ts'
import { readMonth } from '../story/month/readMonth.ts'
import { collect } from '../story/report/collect.ts'
import { formatReport } from '../story/report/formatReport.ts'
import { reportText } from '../story/report/reportText.ts'
import { assertConfigured } from './assertConfigured.ts'
import { defineCommand } from './command.ts'
import { existingJournal } from './needs.ts'
import { assertInOrder, paperOption, readInstant, wholeNumber } from './options.ts'

/** Chains that exist only for tests: what is traded there is made up. */
const syntheticChainIds = [1_337, 31_337]

export const command = defineCommand({
  name: 'report',
  summary: 'how well it traded: execution, rates, benchmarks, prediction against result',
  example: 'ballast report --since 2026-11-01 --strategy dca-weth',
  // A page is one document: two in a row are none.
  isForEach: ({ options: { html, out } }) => html !== true && out === undefined,
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
    month: { flags: '--month <month>', summary: 'the statement of a month instead: 2026-10' },
    zone: { flags: '--zone <name>', summary: 'time zone of the month: Europe/Berlin (UTC)' },
    html: { flags: '--html', summary: 'the month as one page, to --out or to stdout' },
    out: { flags: '--out <file>', summary: 'a new file for the page; without it, stdout' },
    paper: paperOption,
    swaps: {
      flags: '--swaps <n>',
      summary: 'how many single swaps are listed, the newest (10)',
      read: wholeNumber({ name: '--swaps', min: 0, max: 10_000 }),
    },
  },
  config: 'journal',
  needs: { journal: existingJournal },
  async run({ config, journal, options, clock, cwd, terminal }) {
    const { since, until, strategy, swaps = 10, html, out } = options
    assertTogether(options)
    const whose = {
      mode: options.paper ? 'paper' : 'live',
      market: syntheticChainIds.includes(config.chain.chainId) ? 'synthetic' : 'real',
      wallet: config.wallet.address,
      chain: config.chain.name,
    }
    if (options.month !== undefined) {
      const span = monthSpan(options.month, options.zone ?? 'UTC')
      if (span.from > clock.now()) throw usageError(`The month ${span.month} has not begun.`)
      // A script would take a page for written that is not.
      if (journal === undefined && html === true)
        throw ballastError('NO_JOURNAL', `There is no journal at ${journalName(config.database)}.`)
      if (journal === undefined) return { ...whose, month: span.month, swaps: 0 }
      const month = await readMonth(journal, config, span)
      if (html !== true) return { ...whose, ...month }
      const { wallet, chain } = config
      const of = { wallet: wallet.name, address: wallet.address, chain: chain.name }
      const page = monthPage(month, { ...of, labels: labelsOf(whose) })
      if (out !== undefined)
        return { file: await toFile(resolve(cwd, out), writePage(resolve(cwd, out), page)) }
      await terminal.data(page)
      return undefined
    }
    const head = {
      ...whose,
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
    if ('file' in report) return `The month is written to ${report.file}`
    const title = titleOf(config, report)
    if ('sums' in report) return `${title}\n${monthText(report)}`
    if (!('slots' in report))
      return `${title}\nNothing to report yet: there is no journal at ${journalName(config.database)}. It begins with: ballast run${options.paper ? ' --paper' : ''}`
    const { swaps, slots, from } = report
    if (swaps === 0 && slots.counts.length === 0)
      return `${title}\nNo swap was planned in that time. ballast history lists all there are; ballast explain NAME says why not.`
    const first = from === null ? '' : `, the first planned ${toSecond(from)}`
    const currency = config.tokens.native.symbol
    return `${title}\n${swaps} ${swaps === 1 ? 'swap' : 'swaps'}${first}\n\n${formatReport(report, { currency })}`
  },
})

/** Options of the one report that say nothing of the other. */
function assertTogether(
  options: {
    readonly [name in 'since' | 'until' | 'strategy' | 'swaps']?: unknown
  } & { readonly [name in 'month' | 'zone' | 'html' | 'out']?: unknown },
): void {
  const { since, until, strategy, swaps, month, zone, html, out } = options
  if (month === undefined && (html === true || zone !== undefined || out !== undefined))
    throw usageError('--zone, --html and --out are of a month: name it with --month 2026-10.')
  if (month !== undefined && [since, until, strategy, swaps].some((one) => one !== undefined))
    throw usageError('--month is a whole month: leave out --since, --until, --strategy, --swaps.')
  if (out !== undefined && html !== true)
    throw usageError('--out takes the page of a month: add --html.')
  assertInOrder(options)
}

const writePage = (file: string, page: string) => async (sink: Sink) => {
  await sink(page)
  return file
}

type Whose = { readonly mode: string; readonly market: string }

const titleOf = ({ wallet, chain }: Config, whose: Whose): string =>
  [`${wallet.name} ${wallet.address} on ${chain.name}`, ...labelsOf(whose)].join('\n')

const labelsOf = ({ mode, market }: Whose): readonly string[] => [
  ...(mode === 'paper' ? ['PAPER: virtual money, nothing was signed'] : []),
  ...(market === 'synthetic' ? ['SYNTHETIC: a sandbox'] : []),
]
