import { show } from '../../core/amount.ts'
import { sameToken } from '../../core/token.ts'
import type { Finding, Scene } from './finding.ts'

/** Can anything be swapped under this policy at all? Limits that contradict each other refuse everything, one at a time. */
export function examinePolicy({ config: { policy, quote } }: Scene): readonly Finding[] {
  const { pairs, perSwap, perDay, notional, deviationBpsMax } = policy
  const problems = [
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
    ...(deviationBpsMax <= quote.slippageBps
      ? [
          `policy.maxDeviation (${deviationBpsMax} bps) leaves no room for quote.slippage (${quote.slippageBps} bps)`,
        ]
      : []),
  ]
  if (problems.length === 0)
    return [{ name: 'policy', state: 'ok', actual: 'its limits agree with each other' }]
  return problems.map((actual) => ({
    name: 'policy',
    state: 'fail' as const,
    expected: 'limits that let a swap through',
    actual,
    fault: 'usage' as const,
  }))
}
