import { resolve } from 'node:path'
import { recordTape } from '../app/recordTape.ts'
import type { Watch } from '../bot/strategy/index.ts'
import { loadStrategies } from '../bot/strategy/load.ts'
import type { Config } from '../config/config.ts'
import { tokenOf } from '../core/amount.ts'
import { countOf } from '../core/countOf.ts'
import { parseDuration } from '../core/duration.ts'
import { usageError } from '../core/errors.ts'
import { daySeconds } from '../core/spans.ts'
import { assetOf, sameToken, type Token } from '../core/token.ts'
import { parseSynthetic } from '../tape/synthetic/parseSynthetic.ts'
import { writeSynthetic } from '../tape/synthetic/writeSynthetic.ts'
import { defineCommand } from './command.ts'
import { exitCodes } from './exitCodes.ts'
import { readPair, readSize, wholeNumber } from './options.ts'

const bytesMaxDefault = 5 * 1024 ** 3

export const command = defineCommand({
  name: 'record',
  summary: 'tapes the market: order books, indicative quotes of what strategies watch, heads',
  example: 'ballast record --dir tape --every 10s',
  options: {
    dir: { flags: '--dir <folder>', summary: 'where the files go (default tape)' },
    every: {
      flags: '--every <time>',
      summary: 'from one look to the next (default 10s)',
      read: parseDuration,
    },
    seconds: {
      flags: '--seconds <n>',
      summary: 'ends by itself after so long; without it, on Ctrl-C',
      read: wholeNumber({ name: '--seconds', min: 1, max: 366 * daySeconds }),
    },
    pairs: {
      flags: '--pairs <pairs>',
      summary: 'indicative quotes of these pairs alone, such as WETH/USDC,WBTC/USDC',
    },
    maxSize: {
      flags: '--max-size <size>',
      summary: 'of all files together; beyond it nothing is written (default 5GB)',
      read: readSize,
    },
    synthetic: {
      flags: '--synthetic <settings>',
      summary: "no market but a generated one, such as 'seed=7,days=30,every=60s'",
      read: parseSynthetic,
    },
  },
  async run({ options, load, cwd, clock, signal, terminal }) {
    const dir = resolve(cwd, options.dir ?? 'tape')
    const bytesMax = options.maxSize ?? bytesMaxDefault
    if (options.synthetic !== undefined)
      return {
        mode: 'record' as const,
        source: 'synthetic' as const,
        dir,
        ...(await writeSynthetic(options.synthetic, { dir, bytesMax, signal })),
      }
    const config = await load('everything')
    const everyMs = options.every ?? 10_000
    if (everyMs < 1_000) throw usageError('--every is at least 1s: a recorder is a guest.')
    const watches = (await loadStrategies(config)).flatMap((one) => one.watches)
    const recorded = await recordTape(config, {
      ...{ dir, bytesMax, everyMs, clock, signal, note: terminal.note },
      forMs: options.seconds === undefined ? undefined : options.seconds * 1_000,
      watches: ofPairs(watches, options.pairs, config),
    })
    return { mode: 'record' as const, source: 'recorded' as const, dir, ...recorded }
  },
  text: (tape) =>
    tape.source === 'synthetic'
      ? `SYNTHETIC  ${tape.lines} lines in ${tape.dir}, ${tape.bytes} bytes.`
      : `Recorded ${countOf(tape.orderbook, 'order book')}, ${countOf(tape['indicative-quote'], 'indicative quote')}, ${countOf(tape.head, 'head')}; ${tape.failed} without an answer. ${tape.dir} has ${tape.bytes} bytes.`,
  exitCode: ({ source }, { signal }) =>
    source === 'recorded' && signal.aborted ? exitCodes.interrupted : exitCodes.done,
})

/** The watches of the wanted pairs, in either direction; all of them where none is named. */
function ofPairs(
  watches: readonly Watch[],
  text: string | undefined,
  { tokens }: Config,
): readonly Watch[] {
  if (text === undefined) return watches
  const asset = (token: Token) => assetOf(token, tokens)
  const pairs = text
    .split(',')
    .map((part) => readPair(part.trim()).map((symbol) => asset(tokenOf(symbol, tokens.bySymbol))))
  return watches.filter(({ sell, buy }) =>
    pairs.some((pair) =>
      [sell.token, buy].every((token) => pair.some((one) => sameToken(one, asset(token)))),
    ),
  )
}
