import { resolve } from 'node:path'
import { loadStrategies } from '../bot/strategy/load.ts'
import { parseDuration } from '../core/duration.ts'
import { usageError } from '../core/errors.ts'
import { parseGasPrice } from '../core/gasPrice.ts'
import { chosenStrategies } from '../engine/chosenStrategies.ts'
import { loadTape } from '../tape/loadTape.ts'
import { parameterGrid } from '../tape/parameterGrid.ts'
import { readTape } from '../tape/readTape.ts'
import { shippedTape } from '../tape/shippedTape.ts'
import { generateTape } from '../tape/synthetic/generateTape.ts'
import { parseSynthetic } from '../tape/synthetic/parseSynthetic.ts'
import { defineCommand } from './command.ts'
import { existingJournal } from './needs.ts'
import { oneOf, readInstant, readShare, wholeNumber } from './options.ts'
import { assumptionsOf, withParameters } from './replay/assumptionsOf.ts'
import { openReplay } from './replay/openReplay.ts'
import { gridRows, overfitting, printGrid } from './replay/printGrid.ts'
import { printReplay } from './replay/printReplay.ts'
import { readTimings } from './replay/readTimings.ts'
import { whileWorking } from './whileWorking.ts'

const options = {
  strategy: { flags: '--strategy <names>', summary: 'only these, separated by commas' },
  from: {
    flags: '--from <instant>',
    summary: 'not before, such as 2026-01-10',
    read: readInstant('--from'),
  },
  to: { flags: '--to <instant>', summary: 'not after', read: readInstant('--to') },
  latency: {
    flags: '--latency <time>',
    summary: "from a decision to its quote (default: what the journal's swaps took, or 300ms)",
    read: parseDuration,
  },
  approvals: {
    flags: '--approvals <each|none>',
    summary:
      'whether a token is approved before each sale, where no journal tells (default each, none of a synthetic tape)',
    read: oneOf('--approvals', ['each', 'none']),
  },
  refill: {
    flags: '--refill <time>',
    summary:
      'until what was sold is offered for again; 0s, and own swaps move nothing (default 12s)',
    read: parseDuration,
  },
  maxAge: {
    flags: '--max-age <time>',
    summary: 'a book older than this is no market (default 60s)',
    read: parseDuration,
  },
  fail: {
    flags: '--fail <share>',
    summary: 'of requests to the service that fail (default 1%)',
    read: readShare('--fail'),
  },
  fade: {
    flags: '--fade <share>',
    summary: 'chance that a maker fades, for each bps against it (default 0.5%)',
    read: readShare('--fade'),
  },
  delayBlocks: {
    flags: '--delay-blocks <n>',
    summary: 'at most so many blocks until inclusion (default 3)',
    read: wholeNumber({ name: '--delay-blocks', min: 1, max: 100 }),
  },
  gas: {
    flags: '--gas <n>',
    summary: 'of one swap (default 300000)',
    read: wholeNumber({ name: '--gas', min: 0, max: 30_000_000 }),
  },
  tip: {
    flags: '--tip <price>',
    summary: 'on top of the base fee (default 1 gwei)',
    read: parseGasPrice,
  },
  holds: {
    flags: '--holds <amounts>',
    summary: "what the wallet begins with, such as '10 ETH, 100 WETH' (default: policy.perDay)",
  },
  seed: {
    flags: '--seed <n>',
    summary: 'of what fails (default 7)',
    read: wholeNumber({ name: '--seed', min: 0, max: 2 ** 32 - 1 }),
  },
  synthetic: {
    flags: '--synthetic <settings>',
    summary: "no tape but a generated one, such as 'seed=7,days=30,every=60s'",
    read: parseSynthetic,
  },
  grid: {
    flags: '--grid <parameters>',
    summary: "every combination, such as 'sell-strength.price=2900 USDC,2950 USDC'",
    read: parameterGrid,
  },
} as const

export const command = defineCommand({
  name: 'replay',
  summary: 'the configured strategies over a recorded or synthetic tape',
  example: 'ballast replay tape --strategy sell-strength --latency 300ms --fail 1%',
  arguments: [
    { name: '[tape...]', summary: 'files or folders of record; without one a synthetic tape' },
  ],
  options,
  config: 'journal',
  needs: { journal: existingJournal },
  async run({ args, cwd, config, journal, options: given, signal, clock, terminal }) {
    const { synthetic } = given
    if (synthetic !== undefined && args.length > 0)
      throw usageError('Either a tape or --synthetic, not both.')
    const paths = args.length === 0 ? [shippedTape()] : args.map((path) => resolve(cwd, path))
    const entries = synthetic === undefined ? readTape(paths) : generateTape(synthetic)
    const tape = await loadTape(entries, config)
    const timings = await readTimings(journal)
    const { about, runWith, sayProgress } = openReplay(tape, {
      ...{ config, args, from: given.from, to: given.to, clock, signal },
      runs: given.grid?.length ?? 1,
      assumptions: assumptionsOf(given, { config, timings, source: tape.header.source }),
    })
    const { source } = about
    const shown = { terminal, clock }
    const wanted = given.strategy?.split(',').map((name) => name.trim()) ?? []
    if (given.grid === undefined) {
      const chosen = chosenStrategies(await loadStrategies(config), wanted)
      const report = await whileWorking(shown, sayProgress, () => runWith(chosen))
      const strategies = report.strategies.map((one) => ({ source, ...one }))
      const hints = [...about.hints, ...report.hints]
      return { kind: 'run' as const, document: { ...about, ...report, strategies, hints } }
    }
    const outcomes = []
    for (const combination of given.grid) {
      const loaded = await loadStrategies(withParameters(config, combination))
      const chosen = chosenStrategies(loaded, wanted)
      const report = await whileWorking(shown, sayProgress, () => runWith(chosen))
      outcomes.push({ combination, report })
    }
    const grid = gridRows(outcomes).map((row) => ({ source, ...row }))
    return { kind: 'grid' as const, document: { ...about, grid, warning: overfitting } }
  },
  text: (result, { terminal: { columns } }) =>
    result.kind === 'run'
      ? printReplay(result.document, result.document, columns)
      : printGrid(result.document, result.document.grid, columns),
  document: ({ document }) => document,
})
