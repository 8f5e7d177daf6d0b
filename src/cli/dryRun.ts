import { callWith } from '../app/calls.ts'
import { openMarket } from '../app/openMarket.ts'
import { noteLocks, openSpending } from '../app/openSpending.ts'
import { type Outcome, stopped, unseen, waited, wouldSwap } from '../app/outcome.ts'
import { printOutcomes } from '../app/printOutcomes.ts'
import { readingStages } from '../app/readingStages.ts'
import { draft } from '../bot/policy/screen.ts'
import type { Plan } from '../bot/stages.ts'
import { type LoadedStrategy, loadStrategies } from '../bot/strategy/load.ts'
import { preview } from '../bot/swap.ts'
import type { Config } from '../config/config.ts'
import { chosenStrategies } from '../engine/chosenStrategies.ts'
import { createReserved } from '../engine/createReserved.ts'
import { indicationFor, openObserver } from '../engine/look.ts'
import { planOf } from '../engine/planOf.ts'
import { withEarlier } from '../engine/withEarlier.ts'
import { defineCommand, type Invocation } from './command.ts'
import { exitCodeOf } from './exitCodes.ts'

export const command = defineCommand({
  name: 'dry-run',
  summary: 'every strategy once, up to the signature; needs no key',
  example: 'ballast dry-run sell-strength',
  arguments: [{ name: '[strategy...]', summary: 'only these; all without it' }],
  options: {
    checks: { flags: '--checks', summary: 'list every check, not only those that failed' },
  },
  async run({ args, config: load, configFile, options, clock, json, terminal }) {
    const config = await load()
    const all = await loadStrategies(config)
    const strategies = chosenStrategies(all, args)
    const results = await previewAll({ config, all, strategies, clock, note: terminal.note })
    if (json) terminal.json({ mode: 'dry-run', results })
    else
      terminal.out(`${printOutcomes(results, options.checks)}\n\n${nextStep(configFile, results)}`)
    return exitCodeOf(results)
  },
})

function nextStep(configFile: string, results: readonly Outcome[]): string {
  if (results.length === 0)
    return 'No strategy is in the file.\nNext: add a strategy; ballast config init --list names what there is'
  const refused = results.some(({ outcome }) => outcome === 'refused')
  const plan = callWith(configFile, 'ballast plan')
  return [
    ...(refused ? [`Where the file refuses, and when: ${plan} names the lines.`] : []),
    `Next: ${callWith(configFile, 'ballast run --paper')}, unattended, on virtual money`,
  ].join('\n')
}

/** Asks each strategy and takes each of its intents as far as a signature would be. */
async function previewAll({
  config,
  all,
  strategies,
  clock,
  note,
}: {
  config: Config
  /** Every one of the file: what one keeps for itself, the others do not see, asked about or not. */
  all: readonly LoadedStrategy[]
  strategies: readonly LoadedStrategy[]
  clock: Invocation['clock']
  note: (line: string) => void
}): Promise<readonly Outcome[]> {
  const market = await openMarket(config, clock)
  const spending = await openSpending(config, clock)
  const { spent, standingOf, ownStanding } = spending
  const { reserved } = createReserved({ strategies: () => all, ownOf: ownStanding, clock })
  noteLocks(await spending.locks(), note)
  const stages = readingStages({ config, market, spending, clock })
  const observe = openObserver({ config, market, standingOf, reserved, clock })
  const would: Plan[] = []
  try {
    const results: Outcome[] = []
    for (const loaded of strategies) {
      const context = await observe(loaded, clock.now()).catch((error: unknown) =>
        unseen(loaded.name, error),
      )
      if ('outcome' in context) {
        results.push(context)
        continue
      }
      const decision = loaded.strategy.decide(context)
      if (decision.kind !== 'swap') {
        results.push(waited(loaded.name, decision.reason))
        continue
      }
      for (const intent of decision.intents) {
        const indication = indicationFor(context, intent)
        const { plan, rules } = await planOf(
          { config, market },
          { strategy: loaded.name, intent, indication },
        )
        try {
          const taken = withEarlier(await spent(plan), { plan, earlier: would, now: clock.now() })
          const bounds = { ...rules, spent: taken, now: clock.now() }
          results.push(wouldSwap(plan, await preview(draft(plan, bounds), stages)))
          would.push(plan)
        } catch (error) {
          results.push(stopped(plan, error))
        }
      }
    }
    return results
  } finally {
    await spending.close()
    await market.close()
  }
}
