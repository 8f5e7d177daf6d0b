import type { Config } from '../../config/config.ts'
import { presets } from '../../config/presets.ts'
import { type Amount, parseAmount } from '../../core/amount.ts'
import { minuteMs } from '../../core/spans.ts'
import { oneWhole } from '../../core/token.ts'
import { unknownStrategy } from '../../engine/chosenStrategies.ts'
import type { Assumptions } from '../../tape/assumptions.ts'
import type { Combination } from '../../tape/parameterGrid.ts'
import type { SwapTiming } from '../../tape/timings.ts'

/** The options of `ballast replay` that state the assumptions. */
type Given = {
  readonly latency: number | undefined
  readonly approvals: string | undefined
  readonly refill: number | undefined
  readonly maxAge: number | undefined
  readonly fail: number | undefined
  readonly fade: number | undefined
  readonly delayBlocks: number | undefined
  readonly gas: number | undefined
  readonly tip: bigint | undefined
  readonly seed: number | undefined
  readonly holds: string | undefined
}

/** Fewer swaps say little of how long one takes. */
const timingsMin = 5

/**
 * The assumptions of a replay where nothing is given. How long a swap takes is what the journal's own took, unless a
 * latency is given, or there are too few of them.
 */
export function assumptionsOf(
  given: Given,
  {
    config,
    timings,
    source,
  }: {
    readonly config: Config
    readonly timings: readonly SwapTiming[]
    readonly source: 'recorded' | 'synthetic'
  },
): Assumptions {
  // A generated tape is of no chain: what another market took says nothing of it, and its looks may be far apart.
  const isMeasured =
    source === 'recorded' &&
    given.latency === undefined &&
    given.delayBlocks === undefined &&
    timings.length >= timingsMin
  return {
    latencyMs: given.latency ?? 300,
    timings: isMeasured ? timings : [],
    approvals: (given.approvals ?? (source === 'recorded' ? 'each' : 'none')) === 'each',
    standing: config.policy.allowances.map(({ token }) => token),
    confirmations: confirmationsOf(config.chain),
    refillMs: given.refill ?? 12_000,
    ageMsMax: given.maxAge ?? minuteMs,
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

/** What Ethereum calls safe or final is about two epochs old. */
const epochBlocks = 64

/** The blocks until what the configuration waits for, by what is known of its chain. Safe is no later than final. */
function confirmationsOf({ confirmations, chainId, blockTimeMs }: Config['chain']): number {
  if (typeof confirmations === 'number') return confirmations
  const seconds = presets.find((preset) => preset.chainId === chainId)?.finalizedSeconds
  const final = seconds === undefined ? epochBlocks : Math.ceil((seconds * 1_000) / blockTimeMs)
  return confirmations === 'safe' ? Math.min(final, epochBlocks) : final
}

/** The amount the policy lets it sell in a day, and some of the chain's own currency to pay gas with. */
function beginning({ policy, tokens: { native } }: Config): readonly Amount[] {
  const gasMoney = { token: native, wei: 10n * oneWhole(native) }
  const hasNative = policy.perDay.some(({ token }) => token.address === native.address)
  return hasNative ? policy.perDay : [...policy.perDay, gasMoney]
}

function readHolds(text: string, { tokens }: Config): readonly Amount[] {
  return text.split(',').map((part) => parseAmount(part.trim(), tokens.bySymbol))
}

/** The same configuration with other parameters; the strategy's own schema reads them. */
export function withParameters(config: Config, combination: Combination): Config {
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

/** The strategy's own schema complains about anything that is no record. */
const recordOf = (params: unknown): object =>
  typeof params === 'object' && params !== null ? params : {}
