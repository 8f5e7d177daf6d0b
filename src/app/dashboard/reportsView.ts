import { execFile } from 'node:child_process'
import { isSea } from 'node:sea'
import { keylessEnvironment } from '../../config/keylessEnvironment.ts'
import { createShared } from '../../core/createShared.ts'
import { ballastError } from '../../core/errors.ts'
import { printHtml } from '../../core/html.ts'
import { isoText } from '../../core/isoText.ts'
import { minuteMs } from '../../core/spans.ts'
import type { MonthFileView, MonthsView } from '../../dashboard/views.ts'
import { monthSpan } from '../../story/month/monthSpan.ts'
import { monthStyle } from '../../story/month/monthStyle.ts'
import { monthIn } from './calendarView.ts'
import type { Served } from './served.ts'

/** A month reads all of the books before it: for so long, and into so many bytes at most. */
const makingMs = 2 * minuteMs
const bytesMax = 64 * 2 ** 20

/** Months listed, the newest. */
const monthsMax = 36

/** The months of the wallet, and each as a document. */
export function createReportsView(served: Served) {
  const { clock } = served
  const files = createShared({
    ask: async (wanted: readonly string[]) => byCommand(served, wanted),
    nameOf: (wanted) => wanted.join(' '),
    keptMs: minuteMs,
    clock,
  })
  return {
    async months(): Promise<MonthsView> {
      const { oldest: _, ...listed } = await monthsOf(served)
      return listed
    },
    async monthFile(month: string, kind: MonthFileView['kind']): Promise<MonthFileView> {
      const { oldest, current } = await monthsOf(served)
      if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month) || month < oldest || month > current)
        throw ballastError('NOT_FOUND', 'Of that month there is nothing: see /reports.')
      const zone = served.config.dashboard.timeZone
      const { from, until } = monthSpan(month, zone)
      const asked =
        kind === 'statement'
          ? ['report', '--month', month, '--zone', zone, '--html']
          : kind === 'journal'
            ? ['export', '--what', kind, '--month', month, '--zone', zone]
            : ['export', '--what', kind, '--since', isoText(from), '--until', isoText(until)]
      const { value: text } = await files(asked)
      return { kind, text, style: printHtml(monthStyle) }
    },
  }
}

async function monthsOf({
  journal,
  config,
  clock,
}: Served): Promise<MonthsView & { readonly oldest: string }> {
  const { timeZone } = config.dashboard
  const now = clock.now()
  const owner = { chainId: config.chain.chainId, wallet: config.wallet.address }
  const [valued] = await journal.valuations.page({ ...owner, until: now, limit: 1 })
  // A journal may be older than its valuations, and one without them has documents of its swaps all the same.
  const [planned] = await journal.swaps.page({ until: now, limit: 1 })
  const months: string[] = []
  const oldest = monthIn(timeZone, Math.min(valued?.at ?? now, planned?.createdAt ?? now))
  let month = monthIn(timeZone, now)
  while (month >= oldest && months.length < monthsMax) {
    months.push(month)
    month = monthIn(timeZone, monthSpan(month, timeZone).from - 1)
  }
  return { timeZone, current: monthIn(timeZone, now), months, oldest }
}

/** The processes that make documents: one at a time. */
const making = new Set<string>()

/**
 * A document as a command of its own makes it: it reads all of the books, which the process that trades must not wait
 * for. Of the environment it gets what holds no key: it needs none.
 */
function byCommand({ config, mode }: Served, document: readonly string[]): Promise<string> {
  // A file of several wallets has others, whose books are not of this page.
  const wanted = config.isFleet ? [...document, '--wallet', config.wallet.name] : document
  const call = `ballast ${wanted.join(' ')}`
  if (making.size > 0)
    throw ballastError('REPORT_FAILED', 'Another document is being made: wait for it.', {
      next: call,
    })
  // An executable is its own program, and takes no flags of Node.
  const main = isSea() ? [] : ['--no-warnings', process.argv[1] ?? '']
  const paper = mode === 'paper' ? ['--paper'] : []
  const args = [...main, ...wanted, '--config', config.file, ...paper]
  const env = keylessEnvironment()
  const limits = { timeout: makingMs, maxBuffer: bytesMax, killSignal: 'SIGKILL', env } as const
  making.add(call)
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, limits, (error, stdout, stderr) => {
      making.delete(call)
      if (error === null) return resolve(stdout)
      const said = stderr.split('\n').findLast((line) => line.startsWith('ballast: '))
      reject(
        ballastError(
          'REPORT_FAILED',
          `The document could not be made. ${said?.slice('ballast: '.length) ?? 'Its command ended without a word.'}`,
          { next: call },
        ),
      )
    })
  })
}
