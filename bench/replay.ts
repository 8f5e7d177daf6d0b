/**
 * Decisions replayed a second: a threshold strategy over a long synthetic tape, a new book for every decision, end to
 * end in memory. With and without reading the tape. Printed, never asserted: machines differ.
 *
 * `node bench/replay.ts [--days 60] [--rounds 5]`
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { loadStrategies } from '../src/bot/strategy/load.ts'
import { loadConfig } from '../src/config/loadConfig.ts'
import type { Assumptions } from '../src/tape/assumptions.ts'
import { createTapeMarket } from '../src/tape/createTapeMarket.ts'
import { loadTape } from '../src/tape/loadTape.ts'
import { replay } from '../src/tape/replay.ts'
import { generateTape } from '../src/tape/synthetic/generateTape.ts'
import { goodYaml } from '../test/config/goodYaml.ts'
import { median } from './measure.ts'

const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '60' },
    rounds: { type: 'string', default: '5' },
  },
})

/** Never sells: what is measured is looking and deciding. A look and a decision every minute. */
const yaml = goodYaml.replace('price: 2950 USDC, every: 5s', 'price: 29500 USDC, every: 60s')

const folder = mkdtempSync(join(tmpdir(), 'ballast-bench-'))
try {
  const file = join(folder, 'ballast.yaml')
  writeFileSync(file, yaml)
  const config = loadConfig({ file, environment: {}, cwd: folder, needs: 'journal' })
  const strategies = await loadStrategies(config)
  const settings = {
    seed: 7,
    days: Number(values.days),
    everyMs: 60_000,
    startedAt: Date.UTC(2026, 0, 1),
  }
  const assumptions: Assumptions = {
    latencyMs: 300,
    timings: [],
    approvals: false,
    standing: [],
    confirmations: 0,
    refillMs: 0,
    ageMsMax: 60_000,
    fail: 0,
    fadePerBps: 0,
    delayBlocksMax: 3,
    gas: 300_000n,
    tip: 0n,
    baseFee: 0n,
    seed: 7,
    holds: config.policy.perDay,
  }
  const perSecond: { excluded: number; included: number }[] = []
  let decisions = 0
  let lines = 0
  for (let round = 0; round < Number(values.rounds); round += 1) {
    // Made before the clock starts, and let go of when it has been read, as the lines of a file are.
    let written = [...generateTape(settings)]
    lines = written.length
    const begun = performance.now()
    const tape = await loadTape(written, config)
    written = []
    const market = createTapeMarket(tape, {
      wrapped: config.tokens.wrapped,
      worth: { unit: config.policy.unit, stablecoins: [], tokens: config.policy.tokens },
    })
    const loaded = performance.now()
    const { tallies } = await replay({
      setting: config,
      strategies,
      market,
      assumptions,
      from: tape.books[0]?.at ?? 0,
      until: tape.books.at(-1)?.at ?? 0,
      pause: async () => {},
    })
    const ended = performance.now()
    decisions = [...tallies.values()].reduce((sum, { decided }) => sum + decided, 0)
    perSecond.push({
      excluded: (decisions / (ended - loaded)) * 1_000,
      included: (decisions / (ended - begun)) * 1_000,
    })
  }
  const report = (name: string, figures: readonly number[], target: string) =>
    console.log(
      `${name.padEnd(44)}${Math.round(median(figures)).toLocaleString('en').padStart(12)}   target ${target}`,
    )
  console.log(`${decisions} decisions over ${lines} lines, a new book for each`)
  report(
    'decisions a second, tape in memory',
    perSecond.map((one) => one.excluded),
    '>= 100,000',
  )
  report(
    'decisions a second, reading it included',
    perSecond.map((one) => one.included),
    '-',
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
