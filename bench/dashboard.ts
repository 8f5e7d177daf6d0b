/**
 * What the pages cost: how soon one is drawn and how large it is, how long pages of a large history take, and what a
 * reader costs the process that trades. Watched and unwatched spans take turns, so other work touches both alike.
 *
 * `node bench/dashboard.ts [--rows 100000] [--rounds 3] [--seconds 40] [--streams 50] [--streaming 40]`
 * `--streaming` are the seconds that the streams are held.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { type Journal, openJournal } from '../src/bot/journal/openJournal.ts'
import { createDashboard } from '../src/dashboard/createDashboard.ts'
import { openBrowser } from '../test/browser/openBrowser.ts'
import { quietHealth, quietQueries } from '../test/support/noFigures.ts'
import { fillJournal, lastFilledAt } from './fillJournal.ts'
import { median, processorMs, residentMb, untilSaid } from './measure.ts'

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '40' },
    streams: { type: 'string', default: '50' },
    streaming: { type: 'string', default: '40' },
  },
})
const rounds = Number(values.rounds)
const folder = mkdtempSync(join(tmpdir(), 'ballast-bench-pages-'))
const report = (name: string, figure: string, target: string) =>
  console.log(`${name.padEnd(44)}${figure.padStart(22)}   target ${target}`)

try {
  await largeHistory()
  await liveBot()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Requests of pages over a journal of many swaps, each from its own place, so that no answer is one that is kept. */
async function largeHistory(): Promise<void> {
  const database = { dialect: 'sqlite', path: join(folder, 'large.db') } as const
  const clock = { now: () => lastFilledAt, sleep: async () => {} }
  const open = () => openJournal({ database, haltFile: join(folder, 'HALT'), clock })
  await (await open()).shut()
  await fillJournal(database, Number(values.rows))
  const journal = await open()
  const { app, close } = createDashboard({
    queries: {
      ...quietQueries,
      ...{ strategies: async () => [], locks: async () => [], plan: quietQueries.coming as never },
      swaps: (page) => journal.swaps.history(page),
      swap: (id) => journal.swaps.record(id),
      audit: async (before) => ({
        ...(await quietQueries.audit(undefined)),
        entries: (await journal.log.newest({ limit: 51, before })).map((one) => ({
          ...{ ...one, at: new Date(one.at).toISOString(), follows: true },
        })),
      }),
    },
    health: async () => quietHealth,
    halt: async () => {
      throw new Error('nothing halts here')
    },
    ...{ clock, host: '127.0.0.1', port: 8787 },
  })
  try {
    const places = await startsIn(journal)
    const kinds: Readonly<Record<string, (place: (typeof places)[number]) => string>> = {
      'swaps from a place': ({ id }) => `/swaps?before=${id}`,
      'of a strategy': ({ id }) => `/swaps?strategy=test&before=${id}`,
      'settled ones': ({ id }) => `/swaps?outcome=settled&before=${id}`,
      'refused or failed, of which there is none': ({ id }) =>
        `/swaps?outcome=unsettled&before=${id}`,
      'the same of one strategy': ({ id }) => `/swaps?strategy=test&outcome=unsettled&before=${id}`,
      'the log from a place': ({ seq }) => `/audit?before=${seq}`,
    }
    console.log(`Pages of 50 over ${values.rows} swaps`)
    for (const [name, urlOf] of Object.entries(kinds)) {
      const times: number[] = []
      for (const place of places) {
        const since = performance.now()
        const { statusCode } = await app.inject({
          url: urlOf(place),
          headers: { host: 'localhost:8787' },
        })
        times.push(performance.now() - since)
        if (statusCode !== 200) throw new Error(`${urlOf(place)}: ${statusCode}`)
      }
      report(
        `  ${name}`,
        `${median(times).toFixed(1)} ms, most ${Math.max(...times).toFixed(1)}`,
        '<= 50 ms',
      )
    }
  } finally {
    await close()
    await journal.shut()
  }
}

/** Places all over the history. */
async function startsIn(journal: Journal) {
  const rows = Number(values.rows)
  const places = Array.from({ length: 20 }, (_, nth) => Math.floor(((nth + 1) * rows) / 21))
  const { seq } = await journal.log.lastEntry()
  return places.map((row) => ({
    id: `seed-${row}`,
    seq: Math.max(2, Math.floor((row / rows) * seq)),
  }))
}

/** The demo's bot: its pages drawn, its processor time with and without a reader, its memory with many streams. */
async function liveBot(): Promise<void> {
  const demo = await untilSaid(
    ['src/main.ts', 'demo', '--port', '0', '--data-dir', join(folder, 'demo')],
    /on local · http:\/\/127\.0\.0\.1:\d+ · pid \d+/,
  )
  try {
    const [, url = '', pid = ''] =
      /(http:\/\/127\.0\.0\.1:\d+) · pid (\d+)/.exec(demo.stdout()) ?? []
    await sleep(30_000)
    const page = await (await fetch(url)).text()
    report(
      'first page, compressed',
      `${(gzipSync(page).length / 1_024).toFixed(1)} kB`,
      '<= 120 kB',
    )
    report('first contentful paint', `${median(await paintsOf(url)).toFixed(0)} ms`, '<= 300 ms')
    const [alone, watched]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round += 1) {
      alone.push(await busyPercent(Number(pid)))
      const leave = watch(url)
      watched.push(await busyPercent(Number(pid)))
      leave()
    }
    const added = median(watched.map((percent, round) => percent - (alone[round] ?? 0)))
    report(
      'processor, unwatched and watched',
      `${median(alone).toFixed(2)} %, ${median(watched).toFixed(2)} %`,
      '-',
    )
    report('a reader adds', `${added.toFixed(2)} % of a core`, '<= 1 %')
    const streams = Array.from({ length: Number(values.streams) }, () => follow(url, () => {}))
    const memory: number[] = []
    const samples = 10
    for (let sample = 0; sample < samples; sample += 1) {
      await sleep((Number(values.streaming) * 1_000) / samples)
      memory.push(residentMb(Number(pid)) ?? Number.NaN)
    }
    for (const leave of streams) leave()
    const halves = [memory.slice(0, samples / 2), memory.slice(samples / 2)].map((half) =>
      median(half).toFixed(0),
    )
    report(`memory with ${values.streams} streams, halves`, `${halves.join(', ')} MB`, 'no growth')
  } finally {
    await demo.end()
  }
}

async function paintsOf(url: string): Promise<readonly number[]> {
  const { page, close } = await openBrowser()
  try {
    const paints: number[] = []
    for (let round = 0; round < 5; round += 1) {
      await page.goto('about:blank')
      await page.goto(url)
      const painted = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
      for (;;) {
        const at = await page.evaluate<number | undefined>(painted)
        if (at !== undefined) {
          paints.push(at)
          break
        }
        await sleep(20)
      }
    }
    return paints
  } finally {
    await close()
  }
}

/** Processor time of a process over a span, in percent of a core. */
async function busyPercent(pid: number): Promise<number> {
  const [before, since] = [processorMs(pid), performance.now()]
  await sleep(Number(values.seconds) * 1_000)
  return ((processorMs(pid) - before) / (performance.now() - since)) * 100
}

/** Reads the page as its script does: with each event, one after the other, and every ten seconds. */
function watch(url: string): () => void {
  let isReading = false
  let isBehind = false
  const read = async () => {
    if (isReading) {
      isBehind = true
      return
    }
    isReading = true
    isBehind = false
    await (await fetch(url)).text()
    isReading = false
    if (isBehind) setTimeout(() => void read(), 1_000)
  }
  const timer = setInterval(() => void read(), 10_000)
  const leave = follow(url, () => void read())
  return () => {
    clearInterval(timer)
    leave()
  }
}

/** Follows the events until it is told to leave. */
function follow(url: string, onEvent: () => void): () => void {
  const over = new AbortController()
  const reading = async () => {
    const { body } = await fetch(`${url}/api/events`, { signal: over.signal })
    for await (const chunk of body ?? []) if (String(chunk) !== '') onEvent()
  }
  reading().catch((error: unknown) => {
    if (!over.signal.aborted) throw error
  })
  return () => over.abort()
}
