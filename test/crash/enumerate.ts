import { spawnSync } from 'node:child_process'
import { appendFileSync, chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { openDatabase } from '../../src/bot/journal/schema/openDatabase.ts'
import { assert } from '../../src/core/assert.ts'
import { secret } from '../../src/core/secret.ts'
import { createRandom, type Random } from '../simulator/random.ts'
import { startPostgres } from '../support/startPostgres.ts'
import { allFaults } from './allFaults.ts'
import { casesOf } from './casesOf.ts'
import type { Fault } from './fault.ts'
import { openCase } from './openCase.ts'
import { openField } from './openField.ts'
import { type Case, runCase, type Verdict } from './runCase.ts'

// npm run test:crash: a process dies at every step of a swap under every fault, others recover, and the journal is
// compared with the chain. SHARD=1/4 takes a quarter of the faults, DIALECT=postgres only the journals on a
// server, LANES how many cases run at once, MINUTES when no new case begins, and CRASH_LOG keeps what was found: a run
// that was ended goes on from there. SAMPLE=250 takes so many deaths of all of them, drawn by SEED.
const { DIALECT, SHARD = '1/1', LANES = '2', MINUTES = '120', CRASH_LOG } = process.env
const { SAMPLE = 'Infinity', SEED = '1' } = process.env
const say = (line: string) => process.stdout.write(`${line}\n`)

type Line = Omit<Verdict, 'steps'> & {
  readonly key: string
  readonly fault: string
  readonly steps?: readonly string[]
}

const [shard = 1, shards = 1] = SHARD.split('/').map(Number)
const end = performance.now() + Number(MINUTES) * 60_000
const own = mkdtempSync(join(tmpdir(), 'ballast-crash-'))
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache')

const lines = new Map<string, Line>()
if (CRASH_LOG !== undefined && existsSync(CRASH_LOG))
  for (const text of readFileSync(CRASH_LOG, 'utf8').trim().split('\n')) {
    const line = JSON.parse(text) as Line
    lines.set(line.key, line)
  }

const keyOf = ({ fault, sells, dialect, at, recoveryAt }: Case) =>
  `${fault.id} ${sells}${dialect === 'sqlite' ? '' : ` ${dialect}`} ${at}${recoveryAt > 0 ? ` then ${recoveryAt}` : ''}`

// The release: what a treasury runs, and it starts in half the time of the source.
const release = join(own, 'release')
spawnSync(process.execPath, ['scripts/build.ts', release], { stdio: 'inherit' })
const main = join(release, 'ballast.mjs')

let postgres: Awaited<ReturnType<typeof startServer>> | undefined
const server = async () => {
  postgres ??= await startServer()
  return postgres
}
/** Started when the first case needs it. */
async function startServer() {
  // Where root runs this another account runs PostgreSQL, and must get to its folder.
  chmodSync(own, 0o711)
  const { url, close } = await startPostgres(own)
  const template = 'template_of_journals'
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`CREATE DATABASE ${template}`)
  await client.end()
  const address = secret(url.replace(/[^/]*$/, template))
  await (await openDatabase({ dialect: 'postgres', url: address })).destroy()
  return { url, template, close }
}

const open = (lane: number) => openField(join(own, `lane-${lane}`), { main, server })
const fields = await Promise.all(Array.from({ length: Number(LANES) }, (_, lane) => open(lane)))

/** What anvil makes of a chain that is taken back again and again may break: then the case has a new one, once. */
async function onFreshField(one: Case, lane: number): Promise<Verdict> {
  const field = fields[lane]
  assert(field !== undefined, 'there are as many fields as lanes')
  try {
    return await runCase(field, one)
  } catch (error) {
    say(`AGAIN  ${keyOf(one)} on another chain: ${error}`)
    await field.close()
    fields[lane] = await open(lane)
    return runCase(fields[lane], one)
  }
}

/** Runs them all, as many at once as there are lanes. */
async function runAll(cases: readonly Case[]): Promise<void> {
  const waiting = cases.filter((one) => !lines.has(keyOf(one)))
  await Promise.all(
    fields.map(async (_, lane) => {
      for (;;) {
        const one = waiting.shift()
        if (one === undefined || performance.now() > end) return
        const { steps, ...verdict } = await onFreshField(one, lane)
        const line: Line = {
          key: keyOf(one),
          fault: one.fault.id,
          ...verdict,
          ...(one.at === 0 ? { steps } : {}),
        }
        lines.set(line.key, line)
        if (CRASH_LOG !== undefined) appendFileSync(CRASH_LOG, `${JSON.stringify(line)}\n`)
        if (line.breaks.length > 0)
          say(`BROKEN ${line.key}: ${line.struck.join(', then ')}: ${line.breaks.join('; ')}`)
      }
    }),
  )
}

// A process that dies keeps nothing of what it compiled: one that ends well does it for all of them.
const [firstField] = fields
if (firstField !== undefined) {
  const fault = { id: 'none', what: 'nothing' }
  const bot = (await openCase(firstField, { fault, sells: 'ETH' })).startEager({ CRASH_AT: '-1' })
  await bot.says(/^SETTLED /m)
  bot.child.kill('SIGTERM')
  await bot.ended
}

const since = performance.now()
const faults = allFaults.filter((_, index) => index % shards === shard - 1)
/** With an approval before the swap, and with a permit in it. */
const alone = faults.filter(({ id }) => id === 'none')
const counts = (['sqlite', 'postgres'] as const)
  .flatMap((dialect) => [
    ...faults.map((fault) => counted(fault, { dialect })),
    ...alone.map((fault) => counted(fault, { dialect, sells: 'WETH' })),
    ...alone.map((fault) => counted(fault, { dialect, sells: 'USDC' })),
  ])
  .filter(({ dialect }) => DIALECT === undefined || DIALECT === dialect)
function counted(fault: Fault, other: Partial<Case> = {}): Case {
  return { fault, sells: 'ETH', dialect: 'sqlite', at: 0, recoveryAt: 0, ...other }
}

/** So many of all groups in turn, each group in an order drawn by lot: one that is ended early has seen each fault. */
function sampled<item>(
  groups: readonly (readonly item[])[],
  { size, random }: { size: number; random: Random },
): readonly item[] {
  return groups
    .flatMap((items) =>
      items
        .map((item) => ({ item, lot: random.next() }))
        .sort((a, b) => a.lot - b.lot)
        .map(({ item }, turn) => ({ item, turn })),
    )
    .sort((a, b) => a.turn - b.turn)
    .slice(0, size)
    .map(({ item }) => item)
}

let unfinished: number
try {
  await runAll(counts)
  const deaths = sampled(
    counts.map((one) => casesOf(one, lines.get(keyOf(one))?.steps ?? [])),
    { size: Number(SAMPLE), random: createRandom(Number(SEED)) },
  )
  await runAll(deaths)
  unfinished = [...counts, ...deaths].filter((one) => !lines.has(keyOf(one))).length
} finally {
  await Promise.all(fields.map((field) => field.close()))
  await postgres?.close()
  rmSync(own, { recursive: true, force: true })
}

const total = tell()
say(
  `${((performance.now() - since) / 1_000).toFixed(0)} s, ${LANES} at once, ${unfinished} not run`,
)
process.exitCode = total.broken > 0 || unfinished > 0 ? 1 : 0

/** The table, a line for each fault. */
function tell() {
  const row = (cells: readonly (string | number)[]) =>
    say(
      cells.map((cell, at) => (at === 0 ? `${cell}`.padEnd(14) : `${cell}`.padStart(8))).join(' '),
    )
  row(['fault', 'cases', 'killed', 'twice', 'events', 'doubles', 'lost', 'phantom', 'broken', 's'])
  const figures = faults.map(({ id }) => {
    const its = [...lines.values()].filter(({ fault }) => fault === id)
    const sum = (of: (line: Line) => number) => its.reduce((total, line) => total + of(line), 0)
    return {
      id,
      cases: its.length,
      killed: sum(({ struck }) => (struck.length > 0 ? 1 : 0)),
      twice: sum(({ struck }) => (struck.length > 1 ? 1 : 0)),
      events: sum(({ events }) => events),
      doubles: sum(({ doubles }) => doubles),
      lost: sum(({ lost }) => lost),
      phantoms: sum(({ phantoms }) => phantoms),
      broken: sum(({ breaks }) => (breaks.length > 0 ? 1 : 0)),
      seconds: sum(({ ms }) => ms / 1_000),
    }
  })
  type Figures = (typeof figures)[number]
  const cellsOf = ({ id, ...rest }: Figures) => [id, ...Object.values(rest).map(Math.round)]
  for (const figure of figures) if (figure.cases > 0) row(cellsOf(figure))
  const total = figures.reduce((all, one) => ({
    id: 'total',
    cases: all.cases + one.cases,
    killed: all.killed + one.killed,
    twice: all.twice + one.twice,
    events: all.events + one.events,
    doubles: all.doubles + one.doubles,
    lost: all.lost + one.lost,
    phantoms: all.phantoms + one.phantoms,
    broken: all.broken + one.broken,
    seconds: all.seconds + one.seconds,
  }))
  row(cellsOf({ ...total, id: 'total' }))
  return total
}
