import type { Scenario, SimulatedCall } from '../../chain/calls/simulate.ts'
import { gasOfApproval } from '../../chain/gasOfApproval.ts'
import { type Address, sameAddress, type Token } from '../../core/token.ts'
import type { Permitted } from '../stages.ts'
import { probe, probeOverrides } from './probes.ts'
import { type Question, questionsOf } from './questions.ts'

/** One balance that is looked at before and after. */
export type Probe = { readonly owner: Address; readonly token: Token }

/** The swap as it is played through: now, in the last second it may, and one second later. */
export type Scenes = {
  readonly questions: readonly Question[]
  readonly probes: readonly Probe[]
  /** How many approvals come before the swap. */
  readonly approvals: number
  /** Questions, balances, approvals, swap, balances. */
  readonly now: Scenario
  /** The recipient's balance, approvals, swap, the recipient's balance. */
  readonly last: Scenario
  /** Approvals and swap. */
  readonly late: Scenario
}

/** Builds the three scenes for one swap. */
export function scenesOf(
  permitted: Permitted,
  { watched, gas }: { watched: readonly Token[]; gas: bigint },
): Scenes {
  const { wallet, recipient, call, deadline, intent } = permitted
  const owners = sameAddress(wallet, recipient) ? [wallet] : [wallet, recipient]
  const probes = owners.flatMap((owner) => watched.map((token) => ({ owner, token })))
  const balances = probes.map((one) => probe(one, wallet))
  const questions = questionsOf(permitted)
  const bought = probe({ token: intent.buy, owner: recipient }, wallet)
  const steps: SimulatedCall[] = [
    ...permitted.approvals.map((step) => ({ ...step, from: wallet, gas: gasOfApproval })),
    { ...call, from: wallet, gas },
  ]
  const asked = questions.map((question) => question.call)
  return {
    questions,
    probes,
    approvals: permitted.approvals.length,
    now: { calls: [...asked, ...balances, ...steps, ...balances], code: probeOverrides },
    last: { calls: [bought, ...steps, bought], code: probeOverrides, timestamp: deadline },
    late: { calls: steps, timestamp: deadline + 1 },
  }
}
