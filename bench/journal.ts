/**
 * What a journal costs when it is small and when it is large: the commits of one swap, the questions around it, and the
 * start after a crash: its journal alone, because what it asks of the chain is as long as the chain is slow. Both take turns within each round; a ratio is the median over rounds of the ratio within a round,
 * so other work on the machine touches both alike.
 *
 * The commits of a swap stand beside as many appends of their bytes that wait for the disk.
 *
 * `node bench/journal.ts [--rows 1000000] [--small 1000] [--rounds 30] [--postgres]`
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { type Journal, openJournal } from '../src/bot/journal/openJournal.ts'
import type { Database } from '../src/bot/journal/store/database.ts'
import type { Receipt } from '../src/chain/calls/getReceipt.ts'
import { secret } from '../src/core/secret.ts'
import { sampleBytes, samplePlan, sampleQuote, wallet } from '../test/bot/journal/sampleSwap.ts'
import { startPostgres } from '../test/support/startPostgres.ts'
import { fillJournal, lastFilledAt } from './fillJournal.ts'
import { logBytes, median, startAppends } from './measure.ts'

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    small: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '30' },
    postgres: { type: 'boolean', default: false },
  },
})
const sizes = [Number(values.small), Number(values.rows)] as const
const rounds = Number(values.rounds)

const folder = mkdtempSync(join(tmpdir(), 'ballast-bench-journal-'))
const haltFile = join(folder, 'HALT')
let now = lastFilledAt
const clock = { now: () => now, sleep: async () => {} }

/** Where a journal of so many rows is. */
async function placeOf(rows: number, server: string | undefined): Promise<Database> {
  if (server === undefined) return { dialect: 'sqlite', path: join(folder, `${rows}.db`) }
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(`CREATE DATABASE rows_${rows}`)
  await client.end()
  return { dialect: 'postgres', url: secret(server.replace(/[^/]*$/, `rows_${rows}`)) }
}

const receipt: Receipt = {
  hash: `0x${'a'.repeat(64)}`,
  blockNumber: 7,
  blockHash: `0x${'b'.repeat(64)}`,
  success: true,
  gasUsed: 100n,
  gasPaid: 300n,
  logs: [],
} as unknown as Receipt

const subject = { wallet, strategy: 'test', pair: { sell: 'WETH', buy: 'USDC' } }

const commitsOfSwap = 5

/** The {@link commitsOfSwap} transactions of a swap that goes well. */
async function swap(journal: Journal, nonce: number): Promise<void> {
  const planned = samplePlan()
  const { swapId } = planned
  await journal.swaps.reserve(planned, () => {})
  const { hash } = await journal.attempts.commitSwap(
    sampleBytes(planned, nonce),
    sampleQuote(planned),
  )
  await journal.attempts.noteSent({
    hash,
    swapId,
    block: 1,
    verdict: 'accepted',
    taken: true,
    words: '',
  })
  await journal.attempts.include({ swapId, receipt: { ...receipt, hash } })
  const sold = planned.intent.sell
  const received = { token: planned.intent.buy, wei: 3_000n }
  const measured = { sold, received, gasUsed: 1n, gasPaid: 1n, agrees: true, short: false }
  await journal.attempts.settle({ swapId, measured })
  last = swapId
}
let last = ''

/** What a tick asks beside: locks, what is open, the last look, the balances, what ended, what a page shows. */
async function questions(journal: Journal): Promise<void> {
  await journal.locks.guard('plan', subject)
  await journal.swaps.open()
  await journal.decisions.inputs('test', {})
  await journal.breakers.lastLook({ strategy: 'test' })
  await journal.wallet.balanceLedger({ chainId: 31_337, wallet, balances: [], block: 100 })
  await journal.breakers.endFacts({ swapId: last })
  await journal.decisions.latest()
  await journal.swaps.history({ limit: 20 })
}

/** Everything a start does with the journal, and nothing of what it asks the chain. */
async function start(database: Database): Promise<void> {
  const journal = await openJournal({ database, clock, haltFile })
  await journal.locks.assertUnchanged()
  await journal.log.assertConsistent()
  for (const swapId of await journal.swaps.open()) await journal.swaps.load(swapId)
  await compareBooks(journal)
  await journal.shut()
}

const ours = { chainId: 31_337, wallet, since: 0 }
const day = 24 * 60 * 60 * 1_000

/** What comparing the books with the chain asks of the books: what changed within a day, and the log from the mark on. */
async function compareBooks({ books, ...journal }: Journal): Promise<void> {
  const mark = await journal.reconciliation.mark(ours)
  if (mark === undefined) throw new Error('the filled journal is marked')
  const scope = { ...ours, since: Math.min(mark.at, now - day) }
  await journal.log.lastEntry()
  await books.accepted(scope)
  for (let after = ''; ; ) {
    const page = await books.swaps(scope, { after, limit: 100 })
    if (page.length < 100) break
    after = page.at(-1)?.swapId ?? after
  }
  await books.quoteEvents(scope, { after: 0, limit: 1_000 })
  await books.adoption(scope)
  const { defects } = await books.recentLogDefects(scope)
  if (defects.length > 0) throw new Error(`the filled journal is broken: ${defects.join('; ')}`)
  await books.counted(scope)
  await books.allowances(scope)
  await books.swaps({ ...scope, since: Number.MAX_SAFE_INTEGER }, { after: '', limit: 1 })
  await journal.reconciliation.setMark({ ...scope, mark })
}

async function compare(dialect: string, server: string | undefined): Promise<void> {
  const places: Database[] = []
  for (const rows of sizes) {
    const place = await placeOf(rows, server)
    const startedAt = performance.now()
    await (await openJournal({ database: place, clock, haltFile })).shut()
    await fillJournal(place, rows)
    const filled = await openJournal({ database: place, clock, haltFile })
    const mark = {
      block: 1,
      ...(await filled.log.lastEntry()),
      at: lastFilledAt + 1,
      limits: '',
      totals: null,
    }
    await filled.reconciliation.setMark({ ...ours, mark })
    await filled.shut()
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0)
    console.log(`${dialect}: ${rows} swaps written in ${seconds} s`)
    places.push(place)
  }
  const journals = await Promise.all(
    places.map((database) => openJournal({ database, clock, haltFile })),
  )
  let nonce = 0
  const appends = startAppends(join(folder, 'appends'))
  const floors: number[] = []
  let bytes = Number.NaN
  const works = {
    'the commits of a swap': async (nth: number) => swap(at(journals, nth), nonce),
    'the questions of a tick': async (nth: number) => questions(at(journals, nth)),
    'a start, without the chain': async (nth: number) => start(at(places, nth)),
  }
  for (const [name, work] of Object.entries(works)) {
    const taken: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round += 1) {
      now += 60_000
      for (const nth of round % 2 === 0 ? [0, 1] : [1, 0]) {
        const startedAt = performance.now()
        await work(nth)
        taken[nth === 0 ? 0 : 1].push(performance.now() - startedAt)
      }
      if (name !== 'the commits of a swap') continue
      nonce += 1
      if (dialect !== 'sqlite') continue
      const [place] = places
      // Before the log is taken over for the first time: later it does not grow.
      if (round === 0 && place?.dialect === 'sqlite') bytes = logBytes(place.path) / commitsOfSwap
      let floor = 0
      for (let nth = 0; nth < commitsOfSwap; nth += 1) floor += appends.append(Math.round(bytes))
      floors.push(floor)
    }
    const [small, large] = taken
    if (name === 'the commits of a swap' && dialect === 'sqlite') {
      const ratio = median(small.map((ms, round) => ms / (floors[round] ?? ms)))
      console.log(
        `${dialect}: ${commitsOfSwap} appends and fdatasyncs of ${Math.round(bytes)} bytes ${median(floors).toFixed(2)} ms; the commits of a swap at ${sizes[0]} are ${ratio.toFixed(2)} × that`,
      )
    }
    const ratio = median(large.map((ms, round) => ms / (small[round] ?? ms)))
    console.log(
      `${dialect}: ${name.padEnd(26)} ${median(small).toFixed(2)} ms at ${sizes[0]}, ${median(large).toFixed(2)} ms at ${sizes[1]}, ratio ${ratio.toFixed(2)}`,
    )
  }
  appends.close()
  await Promise.all(journals.map((journal) => journal.shut()))
}

function at<value>(list: readonly value[], nth: number): value {
  const found = list[nth]
  if (found === undefined) throw new Error('there are two sizes')
  return found
}

try {
  if (values.postgres) {
    const server = await startPostgres(tmpdir())
    await compare('postgres', server.url).finally(server.close)
  } else await compare('sqlite', undefined)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
