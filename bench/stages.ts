/**
 * Where the time of a swap goes: every stage from the firm quote to the bytes at the node, timed around the bot's own
 * parts in this process. Medians, in milliseconds.
 *
 * `node bench/stages.ts [--swaps 40]`
 */

import { subscribe } from 'node:diagnostics_channel'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Drivetrain } from '../src/bot/life/train.ts'
import { systemClock } from '../src/core/clock.ts'
import { readWorld } from '../src/sandbox/readWorld.ts'
import { startSandbox } from '../src/sandbox/startSandbox.ts'
import { openBot } from '../test/support/openBot.ts'
import { silent } from '../test/support/silent.ts'
import { logBytes, median, startAppends } from './measure.ts'

const { values } = parseArgs({ options: { swaps: { type: 'string', default: '40' } } })
const dir = mkdtempSync(join(tmpdir(), 'ballast-stages-'))
const world = readWorld(fileURLToPath(new URL('../src/sandbox/world.yaml', import.meta.url)))
const sandbox = await startSandbox({ world, dataDir: dir, clock: systemClock, log: silent })
const { ready } = sandbox
const yaml = readFileSync(ready.config, 'utf8')
writeFileSync(ready.config, yaml.replace('  notional:', '  allowances: [100000 WETH]\n  notional:'))
const bot = await openBot({ ready, dataDir: dir, also: [] })

const spans: { readonly name: string; readonly from: number; readonly to: number }[] = []
/** The same function, timed from its call to its answer. */
const timed = <work extends (...args: never[]) => unknown>(name: string, work: work): work =>
  (async (...args: never[]) => {
    const from = performance.now()
    try {
      return await work(...args)
    } finally {
      spans.push({ name, from, to: performance.now() })
    }
  }) as never as work
/** An object whose functions are timed. */
const timedAll = <parts extends object>(prefix: string, parts: parts): parts =>
  Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [
      name,
      typeof part === 'function' ? timed(`${prefix}${name}`, part as never) : part,
    ]),
  ) as parts

/** The moments at which requests leave and answers are there, by what they are. */
const wire: { readonly name: string; readonly at: number }[] = []
const onWire = (moment: string) => (message: unknown) => {
  const { path, body } = (message as { request: { path: string; body?: unknown } }).request
  const text = ArrayBuffer.isView(body)
    ? Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()
    : String(body ?? '')
  const name = /"(eth_simulateV1)"/.exec(text)?.[1] ?? path.split('?')[0]
  wire.push({ name: `${moment} ${name}`, at: performance.now() })
}
subscribe('undici:request:bodySent', onWire('sent'))
subscribe('undici:request:trailers', onWire('answered'))

const { train } = bot
/** What the commit before a broadcast appends to the log of SQLite, of the swaps that made it grow. */
const grown: number[] = []
const database = bot.config.database.dialect === 'sqlite' ? bot.config.database.path : ''
const bent: Partial<Drivetrain> = {
  reading: timedAll('', train.reading),
  signer: timedAll('signer.', train.signer),
  inspect: timedAll('inspect.', train.inspect),
  journal: {
    ...train.journal,
    attempts: timedAll('journal.', {
      ...train.journal.attempts,
      async commitSwap(...args: Parameters<typeof train.journal.attempts.commitSwap>) {
        const before = logBytes(database)
        const journaled = await train.journal.attempts.commitSwap(...args)
        const after = logBytes(database)
        if (after > before) grown.push(after - before)
        return journaled
      },
    }),
    wallet: timedAll('wallet.', train.journal.wallet),
    locks: timedAll('locks.', train.journal.locks),
  },
  broadcast: timed('broadcast', train.broadcast),
}
const appends = startAppends(join(dir, 'appends'))
const stages = new Map<string, number[]>()
const note = (name: string, ms: number) => stages.set(name, [...(stages.get(name) ?? []), ms])
const wish = { sell: '0.05 WETH', buy: 'USDC', floor: '100 USDC' }
try {
  for (let swap = -3; swap < Number(values.swaps); swap += 1) {
    spans.length = 0
    wire.length = 0
    const { failure } = await bot.swap(wish, bent)
    if (failure !== undefined) throw failure
    const at = spans.find(({ name }) => name === 'quote')?.to ?? Number.NaN
    const sent = spans.find(({ name }) => name === 'broadcast')
    const simulated = spans.find(({ name }) => name === 'simulate')?.to ?? Number.NaN
    if (swap < 0 || sent === undefined) continue
    for (const { name, from, to } of spans) if (from >= at && to <= sent.to) note(name, to - from)
    const when = (name: string) => wire.findLast((one) => one.name === name)?.at ?? Number.NaN
    const quoted = wire.findLast(({ name }) => name.startsWith('answered /v1/firm-quote'))?.at ?? 0
    note('wire: quote → simulation', when('sent eth_simulateV1') - quoted)
    note('wire: quote → read', at - quoted)
    note(
      'wire: simulation at the node',
      when('answered eth_simulateV1') - when('sent eth_simulateV1'),
    )
    note('wire: simulation → checked', simulated - when('answered eth_simulateV1'))
    const answered = when('answered eth_simulateV1')
    note('wire: simulation → broadcast', sent.from - answered)
    const floor = appends.append(median(grown))
    note('append + fdatasync of as much', floor)
    note('  simulation → broadcast ÷ it', (sent.from - answered) / floor)
  }
  for (const [name, figures] of stages)
    console.log(`${name.padEnd(28)}${median(figures).toFixed(2).padStart(8)}   ×${figures.length}`)
} finally {
  appends.close()
  await bot.close()
  await sandbox.close()
  rmSync(dir, { recursive: true, force: true })
}
