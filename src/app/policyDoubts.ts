import type { Config } from '../config/config.ts'
import { show } from '../core/amount.ts'
import { sameToken } from '../core/token.ts'

/** Limits that let nothing through, each by itself or by contradicting another: they refuse everything, one at a time. */
export function contradictionsIn({
  policy,
  quote,
  chain,
  treasury,
}: Pick<Config, 'policy' | 'quote' | 'chain' | 'treasury'>): readonly string[] {
  const { pairs, perSwap, perDay, notional, deviationBpsMax, gasCostBpsMax, gasPriceMax } = policy
  return [
    ...unwitnessed({ policy, chain }),
    ...belowOneSwap({ policy, treasury }),
    ...(pairs.length === 0 ? ['policy.pairs lists none: nothing can be swapped'] : []),
    ...perSwap.flatMap((cap) => {
      const day = perDay.find(({ token }) => sameToken(token, cap.token))
      if (day === undefined) return [`${cap.token.symbol} has a limit per swap and none per day`]
      if (day.wei >= cap.wei) return []
      return [`policy.perDay (${show(day)}) is below policy.perSwap (${show(cap)})`]
    }),
    ...(
      [
        ['perHour', 'perSwap'],
        ['perDay', 'perHour'],
        ['perStrategy', 'perSwap'],
      ] as const
    )
      .filter(([larger, smaller]) => notional[larger].wei < notional[smaller].wei)
      .map(
        ([larger, smaller]) =>
          `policy.notional.${larger} (${show(notional[larger])}) is below ${smaller} (${show(notional[smaller])})`,
      ),
    ...perSwap
      .filter(({ wei }) => wei === 0n)
      .map(({ token }) => `policy.perSwap of ${token.symbol} is nothing: none of it is sold`),
    ...(notional.perSwap.wei === 0n ? ['policy.notional.perSwap is nothing: no swap passes'] : []),
    ...(gasPriceMax === 0n ? ['policy.maxGasPrice is nothing: no swap passes'] : []),
    ...(gasCostBpsMax === 0 ? ['policy.maxGasCost is nothing: no swap passes'] : []),
    ...(deviationBpsMax <= quote.slippageBps
      ? [
          `policy.maxDeviation (${deviationBpsMax} bps) leaves no room for quote.slippage (${quote.slippageBps} bps)`,
        ]
      : []),
  ]
}

/** A swap above `perSwap` is refused: from there on nothing is left to witness. */
function unwitnessed({
  policy: { notional },
  chain: { witness },
}: Pick<Config, 'policy' | 'chain'>): readonly string[] {
  const above = witness?.above
  if (above === undefined || !sameToken(above.token, notional.perSwap.token)) return []
  return above.wei < notional.perSwap.wei
    ? []
    : [
        `chain.witness.above (${show(above)}) is not below policy.notional.perSwap (${show(notional.perSwap)}): no swap is witnessed`,
      ]
}

/** Less gas than a transfer of a token takes with what calls it. */
const gasLeast = 100_000n

function belowOneSwap({
  policy: { gasMax, notional },
  treasury,
}: Pick<Config, 'policy' | 'treasury'>): readonly string[] {
  const spans = [
    ['treasury.perHour', treasury?.perHour],
    ['treasury.perDay', treasury?.perDay],
  ] as const
  return [
    ...(gasMax < gasLeast ? [`policy.maxGas (${gasMax}) is less than any swap uses`] : []),
    ...spans.flatMap(([key, most]) =>
      most === undefined || most.wei >= notional.perSwap.wei
        ? []
        : [`${key} (${show(most)}) is below policy.notional.perSwap (${show(notional.perSwap)})`],
    ),
  ]
}

/** A tenth of a swap: whoever wrote more of it has probably written percent. */
export const looseAboveBps = 1_000

/** Limits of a share that hold hardly anything back. */
export function looseLimits({
  policy,
  breakers,
}: Pick<Config, 'policy' | 'breakers'>): readonly string[] {
  const percent = (bps: number) => `${bps / 100} %`
  const isLoose = ([, bps]: readonly [string, number]) => bps > looseAboveBps
  const shares = [
    ['maxDeviation', policy.deviationBpsMax],
    ['maxSlippage', policy.slippageBpsMax],
    ['maxFee', policy.feeBpsMax],
    ['maxGasCost', policy.gasCostBpsMax],
  ] as const
  const pegs = policy.stablecoins.map(
    ({ token, deviationBpsMax }) => [token.symbol, deviationBpsMax] as const,
  )
  const falls = [
    ['priceJump', breakers.priceJump.bps],
    ['priceDrift', breakers.priceDrift.bps],
  ] as const
  return [
    ...shares
      .filter(isLoose)
      .map(([key, bps]) => `policy.${key} gives away up to ${percent(bps)} of a swap`),
    ...pegs
      .filter(isLoose)
      .map(
        ([symbol, bps]) => `policy.stablecoins.${symbol} may lose ${percent(bps)} of its dollar`,
      ),
    // Nothing loses more than all it is worth.
    ...falls
      .filter(([, bps]) => bps >= 10_000)
      .map(([key, bps]) => `breakers.${key} locks no fall: none is above ${percent(bps)}`),
  ]
}
