import { developmentChainId } from '../../chain/developmentChain.ts'
import { show } from '../../core/amount.ts'
import { sameToken } from '../../core/token.ts'
import { isWitnessed, withoutBand } from '../livePrices.ts'
import { contradictionsIn, looseAboveBps, looseLimits } from '../policyDoubts.ts'
import { tokenDoubts } from '../tokenDoubts.ts'
import type { Finding, Scene } from './finding.ts'

/** Can anything be swapped under this policy at all, and does each of its limits hold something back? */
export function examinePolicy({ config }: Scene): readonly Finding[] {
  const problems = contradictionsIn(config)
  const loose = looseLimits(config).map(
    (actual): Finding => ({
      ...{ name: 'policy', state: 'warn', actual },
      expected: `limits of a share of at most ${looseAboveBps} bps`,
    }),
  )
  const doubtful = tokenDoubts(config).map(
    (actual): Finding => ({
      ...{ name: 'tokens', state: 'warn', actual },
      expected: 'the address of each symbol, as it is known of the chain',
    }),
  )
  const prices = [
    ...[...loose, ...doubtful, examineAllowances(config)],
    ...[...examinePrices(config), ...examineAlerts(config)],
  ]
  if (problems.length === 0)
    return [{ name: 'policy', state: 'ok', actual: 'its limits agree with each other' }, ...prices]
  const contradictions = problems.map((actual) => ({
    name: 'policy',
    state: 'fail' as const,
    expected: 'limits that let a swap through',
    actual,
    fault: 'usage' as const,
  }))
  return [...contradictions, ...prices]
}

/** What of the wallet is within reach of the router between swaps. */
function examineAllowances({ policy: { allowances, perSwap } }: Scene['config']): Finding {
  const isPartial = ({ token, wei }: (typeof allowances)[number]) =>
    perSwap.some((cap) => sameToken(cap.token, token) && cap.wei > wei)
  const standing = allowances.map(
    (most) => `${show(most)}${isPartial(most) ? ', less than policy.perSwap' : ''}`,
  )
  return {
    name: 'allowances',
    state: allowances.some(isPartial) ? 'warn' : 'ok',
    actual:
      standing.length === 0
        ? 'exactly what each swap sells'
        : `may stand: ${standing.join('; ')}; of other tokens exactly what each swap sells`,
  }
}

/** A bot for a real chain that stops, or is stopped, must be missed by somebody. */
function examineAlerts({ chain, channels, heartbeat }: Scene['config']): readonly Finding[] {
  const isTold = Object.keys(channels).length > 0 || heartbeat !== undefined
  if (isTold || chain.chainId === developmentChainId) return []
  const expected = 'a channel or HEARTBEAT_URL: docs/ALERTS.md'
  return [{ name: 'alerts', state: 'warn', expected, actual: 'none: no person hears of a stop' }]
}

/** The bounds of a price that no single endpoint can move: a line for each kind. One kind is enough. */
function examinePrices(config: Scene['config']): readonly Finding[] {
  const witnessed = isWitnessed(config)
  const open = withoutBand(config, config.policy.tokens).map(({ symbol }) => symbol)
  const state = witnessed || open.length === 0 ? 'ok' : 'warn'
  return [
    {
      name: 'prices of two endpoints',
      state,
      expected: 'chain.witness on another host',
      actual: witnessed ? 'both must agree' : 'none: one endpoint makes every price of the chain',
    },
    {
      name: 'price bands',
      state,
      expected: 'policy.bands for every token of policy.tokens',
      actual: open.length === 0 ? 'for every token' : `none for ${open.join(', ')}`,
    },
  ]
}
