import { display, foreignMax } from '../core/display.ts'
import type { Outcome } from './outcome.ts'

/** Outcomes for a person: what would happen or happened, and every check that said no. */
export function printOutcomes(outcomes: readonly Outcome[], verbose: boolean): string {
  return outcomes.map((outcome) => printOutcome(outcome, verbose).join('\n')).join('\n\n')
}

function printOutcome(outcome: Outcome, verbose: boolean): readonly string[] {
  const { strategy, reason, intent, indicative, firm, simulation, swap, checks, code, stage } =
    outcome
  const lines = [`${outcome.outcome.toUpperCase()}  ${strategy}: ${display(reason, foreignMax)}`]
  const line = (label: string, text: string) =>
    lines.push(`  ${label.padEnd(12)}${display(text, foreignMax)}`)
  const show = ({ text, token }: { text: string; token: string }) => `${text} ${token}`

  if (intent !== null)
    line('intent', `sell ${show(intent.sell)} for at least ${show(intent.floor)}`)
  if (indicative !== null)
    line('indicative', `${show(indicative.sold)} for ${show(indicative.received)}`)
  if (firm !== null) line('firm', `${show(firm.amountOut)}, at least ${show(firm.minimum)}`)
  if (simulation !== null)
    line(
      'simulated',
      `${show(simulation.spent)} for ${show(simulation.received)}, gas ${simulation.gas}`,
    )
  if (swap?.sold && swap.received)
    line('moved', `${show(swap.sold)} for ${show(swap.received)}, gas ${swap.gasUsed}`)
  if (swap !== null)
    line('swap', `${swap.state} ${swap.id}${swap.txHash ? ` tx ${swap.txHash}` : ''}`)
  if (code !== null) line('code', stage === null ? code : `${code} (${stage})`)

  const failed = checks.filter(({ ok }) => !ok)
  if (checks.length > 0)
    line('checks', `${checks.length - failed.length} of ${checks.length} passed`)
  for (const { name, ok, expected, actual } of verbose ? checks : failed)
    lines.push(`    ${ok ? 'ok  ' : 'FAIL'} ${name}: expected ${expected}, is ${actual}`)
  return lines
}
