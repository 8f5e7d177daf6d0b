import { resolve } from 'node:path'
import { type LoadedStrategy, loadStrategies } from '../bot/strategy/load.ts'
import type { Config } from '../config/config.ts'
import { type Amount, parseAmount } from '../core/amount.ts'
import { parseDuration } from '../core/duration.ts'
import { type BallastError, ballastError } from '../core/errors.ts'
import { parseGasPrice } from '../core/gasPrice.ts'
import { chosenStrategies, unknownStrategy } from '../engine/chosenStrategies.ts'
import { type Assumptions, assumptionsText } from '../tape/assumptions.ts'
import { createTapeMarket } from '../tape/createTapeMarket.ts'
import { loadTape, type Tape } from '../tape/loadTape.ts'
import { type Combination, parameterGrid } from '../tape/parameterGrid.ts'
import { readTape } from '../tape/readTape.ts'
import { replay } from '../tape/replay.ts'
import { type ReplayReport, replayReport } from '../tape/replayReport.ts'
import { shippedTape } from '../tape/shippedTape.ts'
import { generateTape } from '../tape/synthetic/generateTape.ts'
import { parseSynthetic } from '../tape/synthetic/parseSynthetic.ts'
import { defineCommand, type Invocation } from './command.ts'
import { gridRows, overfitting, printGrid } from './replay/printGrid.ts'
import { printReplay } from './replay/printReplay.ts'
import { readInstant } from './replay/readInstant.ts'
import { readShare } from './replay/readShare.ts'
import { wholeNumber } from './wholeNumber.ts'

const options = {
  strategy: { flags: '--strategy <names>', summary: 'only these, separated by commas' },
  from: { flags: '--from <instant>', summary: 'not before, such as 2026-01-10', read: readInstant },
  to: { flags: '--to <instant>', summary: 'not after', read: readInstant },
  latency: {
    flags: '--latency <time>',
    summary: 'from a decision to its quote (default 300ms)',
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

type ReplayInvocation = Invocation<typeof options>

export const command = defineCommand({
  name: 'replay',
  summary: 'the configured strategies over a recorded or synthetic tape',
  example: 'ballast replay tape --strategy sell-strength --latency 300ms --fail 1%',
  arguments: [
    { name: '[tape...]', summary: 'files or folders of record; without one a synthetic tape' },
  ],
  options,
  async run(invocation) {
    const { args, cwd, config: load, options: given, json, signal, clock, terminal } = invocation
    const config = await load('journal')
    const tape = await loadTape(
      entriesOf(
        args.map((path) => resolve(cwd, path)),
        given,
      ),
      config,
    )
    const assumptions = assumptionsOf(given, config)
    const span = {
      from: Math.max(given.from ?? Number.NEGATIVE_INFINITY, tape.books[0]?.at ?? 0),
      until: Math.min(given.to ?? Number.POSITIVE_INFINITY, tape.books.at(-1)?.at ?? 0),
    }
    if (span.until <= span.from) throw usage('Between --from and --to the tape has nothing.')
    const market = createTapeMarket(tape, {
      wrapped: config.tokens.wrapped,
      worth: {
        unit: config.policy.unit,
        stablecoins: config.policy.stablecoins.map(({ token }) => token),
        tokens: config.policy.tokens,
      },
    })
    const pause = async () => {
      await clock.sleep(0)
      signal.throwIfAborted()
    }
    const runWith = async (strategies: readonly LoadedStrategy[]): Promise<ReplayReport> => {
      const run = { setting: config, strategies, market, assumptions, ...span, pause }
      const native = config.tokens.native
      return replayReport(await replay(run), {
        market,
        strategies,
        native,
        span,
        ageMsMax: assumptions.ageMsMax,
      })
    }
    const about = {
      mode: 'replay' as const,
      source: tape.header.source,
      tape: tapeReport(tape, { args, span }),
      assumptions: assumptionsText(assumptions, {
        ...config.quote,
        hasHeads: tape.heads.length > 0,
      }),
      hints: hintsOf(tape, assumptions),
    }
    const wanted = given.strategy?.split(',').map((name) => name.trim()) ?? []
    if (given.grid === undefined) {
      const report = await runWith(chosenStrategies(await loadStrategies(config), wanted))
      const labelled = report.strategies.map((one) => ({ source: about.source, ...one }))
      if (json) terminal.json({ ...about, ...report, strategies: labelled })
      else terminal.out(printReplay(about, report))
      return
    }
    const outcomes: { combination: Combination; report: ReplayReport }[] = []
    for (const combination of given.grid) {
      const strategies = await loadStrategies(withParameters(config, combination))
      outcomes.push({ combination, report: await runWith(chosenStrategies(strategies, wanted)) })
    }
    const rows = gridRows(outcomes).map((row) => ({ source: about.source, ...row }))
    if (json) terminal.json({ ...about, grid: rows, warning: overfitting })
    else terminal.out(printGrid(about, rows))
  },
})

/** Figures that are right and say nothing, since most slots of the tape never saw a market. */
function hintsOf({ books }: Tape, { ageMsMax }: Assumptions): readonly string[] {
  const gaps = books
    .slice(1)
    .map(({ at }, index) => at - (books[index]?.at ?? at))
    .sort((one, other) => one - other)
  const covered = gaps.reduce((sum, gap) => sum + Math.min(gap, ageMsMax), 0)
  const whole = gaps.reduce((sum, gap) => sum + gap, 0)
  if (covered * 2 >= whole) return []
  const seconds = (ms: number) => `${Math.ceil(ms / 1_000)}s`
  const share = Math.round((covered / whole) * 100)
  const usual = gaps[Math.floor(gaps.length * 0.95)] ?? 0
  return [
    `For ${share} % of its time the tape has a book of at most ${seconds(ageMsMax)}: most slots see no market.`,
    `If these strategies look more often, take older books for one: --max-age ${seconds(usual)}`,
  ]
}

function entriesOf(args: readonly string[], { synthetic }: ReplayInvocation['options']) {
  if (synthetic === undefined) return readTape(args.length === 0 ? [shippedTape()] : args)
  if (args.length === 0) return generateTape(synthetic)
  throw usage('Either a tape or --synthetic, not both.')
}

function assumptionsOf(given: ReplayInvocation['options'], config: Config): Assumptions {
  return {
    latencyMs: given.latency ?? 300,
    ageMsMax: given.maxAge ?? 60_000,
    fail: given.fail ?? 0.01,
    fadePerBps: given.fade ?? 0.005,
    delayBlocksMax: given.delayBlocks ?? 3,
    gas: BigInt(given.gas ?? 300_000),
    tip: given.tip ?? 1_000_000_000n,
    baseFee: 10_000_000_000n,
    seed: given.seed ?? 7,
    holds: given.holds === undefined ? beginning(config) : readHolds(given.holds, config),
  }
}

/** What the policy lets it sell in a day, and some of the chain's own currency to pay gas with. */
function beginning({ policy, tokens: { native } }: Config): readonly Amount[] {
  const gasMoney = { token: native, wei: 10n * 10n ** BigInt(native.decimals) }
  const hasNative = policy.perDay.some(({ token }) => token.address === native.address)
  return hasNative ? policy.perDay : [...policy.perDay, gasMoney]
}

function readHolds(text: string, { tokens }: Config): readonly Amount[] {
  return text.split(',').map((part) => parseAmount(part.trim(), tokens.bySymbol))
}

/** The same configuration with other parameters; the strategy's own schema reads them. */
function withParameters(config: Config, combination: Combination): Config {
  const known = config.strategies.map(({ name }) => name)
  const stranger = combination.find(({ strategy }) => !known.includes(strategy))
  if (stranger !== undefined) throw unknownStrategy(stranger.strategy, known)
  return {
    ...config,
    strategies: config.strategies.map((entry) => ({
      ...entry,
      params: {
        ...recordOf(entry.params),
        ...Object.fromEntries(
          combination
            .filter(({ strategy }) => strategy === entry.name)
            .map(({ key, value }) => [key, value]),
        ),
      },
    })),
  }
}

/** What is no record, the strategy's own schema complains about. */
const recordOf = (params: unknown): object =>
  typeof params === 'object' && params !== null ? params : {}

function tapeReport(
  { header, books, heads, torn, steppedBack, parity }: Tape,
  { args, span }: { args: readonly string[]; span: { from: number; until: number } },
) {
  return {
    files: args.length === 0 ? [header.service] : args,
    chain: header.chain,
    service: header.service,
    from: new Date(span.from).toISOString(),
    until: new Date(span.until).toISOString(),
    books: books.length,
    booksMissing: books.filter(({ book }) => book === undefined).length,
    heads: heads.length,
    torn,
    steppedBack,
    indicativeQuotes: parity,
  }
}

function usage(summary: string): BallastError {
  return ballastError('USAGE', summary)
}
