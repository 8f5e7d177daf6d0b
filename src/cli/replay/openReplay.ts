import type { LoadedStrategy } from '../../bot/strategy/load.ts'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import { usageError } from '../../core/errors.ts'
import { type Assumptions, assumptionsText } from '../../tape/assumptions.ts'
import { blockTimes } from '../../tape/blockTimes.ts'
import { createTapeMarket } from '../../tape/createTapeMarket.ts'
import { firmEdgePpm } from '../../tape/firmEdge.ts'
import type { Tape } from '../../tape/loadTape.ts'
import { replay } from '../../tape/replay.ts'
import { type ReplayReport, replayReport } from '../../tape/replayReport.ts'
import type { About } from './printReplay.ts'

type Setting = {
  readonly config: Config
  /** The tapes as they were named. */
  readonly args: readonly string[]
  readonly from: number | undefined
  readonly to: number | undefined
  readonly assumptions: Assumptions
  readonly clock: Clock
  readonly signal: AbortSignal
  /** How often the tape is gone over. */
  readonly runs: number
}

type Replay = {
  /** The text above every result. */
  readonly about: About
  readonly sayProgress: () => string
  readonly runWith: (strategies: readonly LoadedStrategy[]) => Promise<ReplayReport>
}

/** A tape made ready to be replayed under some assumptions, as often as wanted. */
export function openReplay(tape: Tape, setting: Setting): Replay {
  const { config, assumptions, from, to, clock, signal, runs } = setting
  const { policy, tokens, quote } = config
  const span = {
    from: Math.max(from ?? Number.NEGATIVE_INFINITY, tape.books[0]?.at ?? 0),
    until: Math.min(to ?? Number.POSITIVE_INFINITY, tape.books.at(-1)?.at ?? 0),
  }
  if (span.until <= span.from) throw usageError('Between --from and --to the tape has nothing.')
  const market = createTapeMarket(tape, {
    wrapped: tokens.wrapped,
    worth: {
      unit: policy.unit,
      stablecoins: policy.stablecoins.map(({ token }) => token),
      tokens: policy.tokens,
    },
  })
  const { cadenceMs } = blockTimes(tape.heads, config.chain.blockTimeMs)
  const known = [...tokens.bySymbol.values()]
  let run = 1
  let reached = span.from
  const pause = async (at: number) => {
    reached = at
    await clock.sleep(0)
    signal.throwIfAborted()
  }
  return {
    about: {
      mode: 'replay',
      source: tape.header.source,
      tape: tapeReport(tape, { args: setting.args, span }),
      assumptions: assumptionsText(assumptions, {
        ...quote,
        ...{ cadenceMs, hasHeads: tape.heads.length > 0 },
        edgeBps: Number(firmEdgePpm(market, { timings: assumptions.timings, tokens: known })) / 100,
      }),
      hints: hintsOf(tape, assumptions),
    },
    sayProgress() {
      const share = Math.floor(((reached - span.from) * 100) / (span.until - span.from))
      return `Replaying: ${share} % of the tape${runs === 1 ? '' : `, run ${run} of ${runs}`}`
    },
    async runWith(strategies) {
      const replaying = { setting: config, strategies, market, assumptions, ...span, pause }
      const { ageMsMax } = assumptions
      const { native } = tokens
      const replayed = await replay(replaying)
      run += 1
      reached = span.from
      return replayReport(replayed, { market, strategies, native, span, ageMsMax })
    },
  }
}

/** Figures that are right and show nothing, since most slots of the tape never saw a market. */
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
