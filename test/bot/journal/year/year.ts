/**
 * A year of the shipped templates in virtual time, in a real journal: `npm run test:year`, or `npm run test:year -- 20` for
 * so many days. Prints what it came to, and ends with 1 above a bound. Its garbage is collected early, by the flags of its
 * script: it makes that of a day in minutes.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bounds, measureSwap } from './bounds.ts'
import { liveThrough } from './liveThrough.ts'

const say = (line: string) => process.stdout.write(`${line}\n`)
const days = Number(process.argv[2] ?? 365)
const folder = mkdtempSync(join(tmpdir(), 'ballast-year-'))
try {
  const lived = await liveThrough({ folder, days })
  const { looks, swaps, rssMax, report } = lived
  const grown = lived.bytes - lived.emptyBytes
  const yearBytes = Math.round((grown / days) * 365)
  const swapBytes = Math.round(await measureSwap(folder, { few: 50, many: 350 }))
  say(`${days} days: ${looks} looks, ${swaps} swaps, ${report.count} entries of the log`)
  say(`journal ${lived.bytes} bytes; ${yearBytes} a year, at most ${bounds.yearBytes}`)
  say(`memory ${rssMax} bytes, at most ${bounds.rss}`)
  say(`a swap ${swapBytes} bytes, at most ${bounds.swapBytes}`)
  const isWithin =
    yearBytes <= bounds.yearBytes && rssMax <= bounds.rss && swapBytes <= bounds.swapBytes
  if (!isWithin || report.broken !== undefined) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true })
}
