import { resolve } from 'node:path'
import { assertChain } from '../app/openMarket.ts'
import type { Watch } from '../bot/strategy/index.ts'
import { loadStrategies } from '../bot/strategy/load.ts'
import { getChainId } from '../chain/calls/node.ts'
import { createRpc } from '../chain/rpc/createRpc.ts'
import type { Config } from '../config/config.ts'
import { tokenOf } from '../core/amount.ts'
import { monotonic } from '../core/clock.ts'
import { parseDuration } from '../core/duration.ts'
import { type BallastError, ballastError } from '../core/errors.ts'
import { withoutCredentials } from '../core/secret.ts'
import { isNative, sameToken, type Token } from '../core/token.ts'
import { openTapeWriter } from '../tape/openTapeWriter.ts'
import { recordMarket } from '../tape/recordMarket.ts'
import { generateTape } from '../tape/synthetic/generateTape.ts'
import { parseSynthetic, syntheticHeader } from '../tape/synthetic/parseSynthetic.ts'
import { defineCommand, type Invocation } from './command.ts'
import { exitCodes } from './exitCodes.ts'
import { readSize } from './record/readSize.ts'
import { wholeNumber } from './wholeNumber.ts'

const options = {
  dir: { flags: '--dir <folder>', summary: 'where the files go (default tape)' },
  every: {
    flags: '--every <time>',
    summary: 'from one look to the next (default 10s)',
    read: parseDuration,
  },
  seconds: {
    flags: '--seconds <n>',
    summary: 'ends by itself after so long; without it, on Ctrl-C',
    read: wholeNumber({ name: '--seconds', min: 1, max: 366 * 86_400 }),
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
} as const

type RecordInvocation = Invocation<typeof options>

const bytesMaxDefault = 5 * 1024 ** 3

export const command = defineCommand({
  name: 'record',
  summary: 'tapes the market: order books, indicative quotes of what strategies watch, heads',
  example: 'ballast record --dir tape --every 10s',
  options,
  run: (invocation) =>
    invocation.options.synthetic === undefined
      ? recordLive(invocation)
      : recordSynthetic(invocation),
})

async function recordLive(invocation: RecordInvocation): Promise<number> {
  const { config: load, options: given, cwd, clock, signal, json, terminal } = invocation
  const config = await load()
  const everyMs = given.every ?? 10_000
  if (everyMs < 1_000) throw usage('--every is at least 1s: a recorder is a guest.')
  const watches = (await loadStrategies(config)).flatMap((one) => one.watches)
  const dir = resolve(cwd, given.dir ?? 'tape')
  const rpc = createRpc({ url: config.chain.rpcUrl.reveal() })
  try {
    assertChain(config, { found: await rpc.request(getChainId), endpoint: rpc.label })
    const writer = await openTapeWriter({
      dir,
      bytesMax: given.maxSize ?? bytesMaxDefault,
      header: {
        format: 1,
        source: 'recorded',
        chain: config.chain.name,
        chainId: config.chain.chainId,
        service: withoutCredentials(config.service.url.reveal()),
      },
      note: terminal.note,
    })
    try {
      terminal.note(
        `Recording ${config.chain.name} into ${dir} every ${everyMs / 1_000} s. Firm quotes are not asked for: each binds makers. Ctrl-C ends it.`,
      )
      const recorded = await recordMarket({
        service: config.service,
        rpc,
        chain: config.chain.name,
        wallet: config.wallet.address,
        watches: ofPairs(watches, given.pairs, config),
        everyMs,
        forMs: given.seconds === undefined ? undefined : given.seconds * 1_000,
        writer,
        clock,
        monotonic,
        signal,
      })
      const bytes = writer.size()
      if (json) terminal.json({ mode: 'record', source: 'recorded', dir, ...recorded, bytes })
      else
        terminal.out(
          `Recorded ${recorded.orderbook} order books, ${recorded['indicative-quote']} indicative quotes, ${recorded.head} heads; ${recorded.failed} without an answer. ${dir} has ${bytes} bytes.`,
        )
      return signal.aborted ? exitCodes.interrupted : exitCodes.done
    } finally {
      await writer.close()
    }
  } finally {
    await rpc.close()
  }
}

async function recordSynthetic(invocation: RecordInvocation): Promise<number> {
  const { options: given, cwd, json, signal, terminal } = invocation
  const settings = given.synthetic ?? parseSynthetic('')
  const dir = resolve(cwd, given.dir ?? 'tape')
  const writer = await openTapeWriter({
    dir,
    bytesMax: given.maxSize ?? bytesMaxDefault,
    header: syntheticHeader(settings),
    note: () => {},
  })
  let lines = 0
  try {
    for (const entry of generateTape(settings)) {
      signal.throwIfAborted()
      if (entry.kind !== 'line') continue
      await writer.append(entry.line)
      lines += 1
    }
  } finally {
    await writer.close()
  }
  if (json) terminal.json({ mode: 'record', source: 'synthetic', dir, lines, bytes: writer.size() })
  else terminal.out(`SYNTHETIC  ${lines} lines in ${dir}, ${writer.size()} bytes.`)
  return exitCodes.done
}

/** The watches of the pairs that were asked for, in either direction; all of them where none was. */
function ofPairs(
  watches: readonly Watch[],
  text: string | undefined,
  { tokens }: Config,
): readonly Watch[] {
  if (text === undefined) return watches
  const asset = (token: Token) => (isNative(token) ? tokens.wrapped : token)
  const pairs = text.split(',').map((part) => {
    const [base = '', quote = '', more] = part.trim().split('/')
    if (base === '' || quote === '' || more !== undefined)
      throw usage(
        `'${part.trim().slice(0, 64)}' is not a pair: write two tokens, such as WETH/USDC.`,
      )
    return [tokenOf(base, tokens.bySymbol), tokenOf(quote, tokens.bySymbol)].map(asset)
  })
  return watches.filter(({ sell, buy }) =>
    pairs.some((pair) =>
      [sell.token, buy].every((token) => pair.some((one) => sameToken(one, asset(token)))),
    ),
  )
}

function usage(summary: string): BallastError {
  return ballastError('USAGE', summary)
}
