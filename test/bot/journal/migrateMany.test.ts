import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openJournal } from '../../../src/bot/journal/openJournal.ts'
import { onServer } from '../../support/journals.ts'
import { begin, createTrader, createVirtualClock, tradeYear } from './archive/tradeThrough.ts'
import { multiplySwap } from './multiplySwap.ts'
import { wallet } from './sampleSwap.ts'

/** `npm run test:migrate` has 100,000. */
const swaps = Number(process.env.MIGRATE_SWAPS ?? 300)

/** Bytes, of the process that moves: the same for any number of swaps. */
const memoryMax = 640 * 1024 ** 2

/** A hundred thousand take some minutes to make, and some to move. */
const timeoutMs = 60 * 60_000

type Moved = {
  readonly seconds: number
  readonly memory: number
  readonly rows: Readonly<Record<string, number>>
  readonly hashes: readonly string[]
  readonly head: string
}

/** In a process of its own, whose memory is nobody else's. */
async function move(from: string, to: string): Promise<Moved> {
  const script = `
    import { migrateJournal } from './src/bot/journal/migrateJournal.ts'
    import { systemClock as clock } from './src/core/clock.ts'
    const began = performance.now()
    const { tables, log } = await migrateJournal({ from: ${from}, to: ${to}, chainId: 31337, wallet: '${wallet}',
      clock, signal: new AbortController().signal, tell: () => {} })
    const [seconds, memory] = [(performance.now() - began) / 1000, process.resourceUsage().maxRSS * 1024]
    const rows = Object.fromEntries(tables.map(({ table, there }) => [table, there.rows]))
    const hashes = tables.map(({ there }) => there.sha256)
    process.stdout.write(JSON.stringify({ seconds, memory, rows, hashes, head: log.head }))`
  const call = ['--input-type=module-typescript', '-e', script]
  const { stdout } = await promisify(execFile)(process.execPath, call)
  return JSON.parse(stdout)
}

test(
  'many swaps move to a server and back within bounded memory, and are the same',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ballast-many-'))
    const server = await onServer('template0')
    const inFile = (name: string) => ({ dialect: 'sqlite', path: join(folder, name) }) as const
    try {
      const [first, again] = [inFile('ballast.db'), inFile('again.db')]
      const clock = createVirtualClock()
      clock.set(begin)
      const journal = await openJournal({ database: first, clock, haltFile: join(folder, 'HALT') })
      await journal.wallet.adopt({ chainId: 31_337, wallet, nonceOfChain: 0 })
      await tradeYear(createTrader(journal, clock), { year: -6, swaps: 1 })
      await journal.shut()
      multiplySwap(first.path, swaps - 1)

      const there = await move(JSON.stringify(first), server.source)
      const back = await move(server.source, JSON.stringify(again))
      expect(there.rows).toMatchObject({ swap: swaps, quote: swaps, attempt: 2 * swaps })
      expect([back.rows, back.hashes, back.head]).toEqual([there.rows, there.hashes, there.head])
      if (process.env.MIGRATE_SWAPS !== undefined) say({ there, back }, statSync(first.path).size)
      expect(Math.max(there.memory, back.memory)).toBeLessThan(memoryMax)
    } finally {
      rmSync(folder, { recursive: true })
      await server.remove()
    }
  },
  timeoutMs,
)

function say(moves: Readonly<Record<string, Moved>>, bytes: number): void {
  const mebibytes = (of: number) => `${Math.round(of / 1024 ** 2)} MiB`
  for (const [name, { seconds, memory, rows }] of Object.entries(moves))
    process.stdout.write(
      `${name}: ${rows.swap} swaps, ${rows.event} entries, ${mebibytes(bytes)}: ${seconds.toFixed(1)} s, memory ${mebibytes(memory)}\n`,
    )
}
