import { rules } from '../src/bot/next.ts'
import { finalStates } from '../src/bot/state.ts'

/** The table of `src/bot/next.ts` as Markdown. A test holds docs/STATES.md to it. */
export function statesTable(): string {
  const rows = rules.map(({ in: states, when, does }) => {
    const where =
      states === finalStates ? 'any end' : states.map((state) => `\`${state}\``).join(' ')
    return `| ${where} | ${when} | ${does} |`
  })
  return ['| in | when | then |', '|---|---|---|', ...rows].join('\n')
}
