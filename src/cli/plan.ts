import { callWith } from '../app/calls.ts'
import { openWholeMarket } from '../app/openMarket.ts'
import { runningPlan } from '../app/runningPlan.ts'
import { loadStrategies } from '../bot/strategy/load.ts'
import type { Config } from '../config/config.ts'
import { loadConfig } from '../config/loadConfig.ts'
import { parseDuration } from '../core/duration.ts'
import { dayMs } from '../core/spans.ts'
import { wrapText } from '../core/textLayout.ts'
import type { PlanView } from '../dashboard/planView.ts'
import { chosenStrategies } from '../engine/chosenStrategies.ts'
import { comparePlans } from '../forecast/comparePlans.ts'
import { makePlan } from '../forecast/forecastPlan.ts'
import { formatPlan } from '../forecast/planText.ts'
import { defineCommand } from './command.ts'
import type { Invocation } from './invocation.ts'

/** A quarter: what a treasury budgets. */
const nextMs = 90 * dayMs

/** The other plan of a comparison. Where the plans could not be compared, `changes` is null and `note` states why. */
type Comparison = {
  readonly with: string
  readonly changes: readonly string[] | null
  readonly note: string
}

export const command = defineCommand({
  name: 'plan',
  summary: 'what the schedules will do, slot by slot, and which rule will stop them',
  example: 'ballast plan buy-monthly --next 90d',
  isForEach: () => true,
  arguments: [{ name: '[strategy...]', summary: 'only these; all without it' }],
  options: {
    next: { flags: '--next <duration>', summary: 'how far to look (90d)', read: parseDuration },
    all: { flags: '--all', summary: 'list every slot, however many' },
    against: {
      flags: '--against <file>',
      summary: 'what changes from that configuration to this one',
    },
  },
  config: 'everything',
  async run({ args, config, options, clock, environment, cwd, wallet, signal }) {
    const spanMs = options.next ?? nextMs
    const strategies = await loadStrategies(config)
    const shown = chosenStrategies(strategies, args)
    const plan = await makePlan({
      ...{ config, strategies, shown, spanMs, clock, signal },
      openMarket: () => openWholeMarket(config, clock),
    })
    const { against } = options
    const comparison =
      against === undefined
        ? await againstRunning(plan, { config, spanMs, names: args })
        : await againstFile(plan, {
            file: against,
            spanMs,
            names: args,
            clock,
            environment,
            cwd,
            wallet,
            signal,
          })
    return { plan, comparison }
  },
  text: ({ plan, comparison }, { configFile, options }) =>
    [
      formatPlan(plan, { all: options.all }),
      comparisonText(comparison),
      `Next: ${callWith(configFile, 'ballast dry-run')}, every strategy once, up to the signature`,
    ].join('\n\n'),
})

type Wanted = { readonly spanMs: number; readonly names: readonly string[] }

async function againstFile(
  plan: PlanView,
  {
    file,
    spanMs,
    names,
    clock,
    environment,
    cwd,
    wallet,
    signal,
  }: Wanted & { readonly file: string } & Pick<
      Invocation,
      'clock' | 'environment' | 'cwd' | 'wallet' | 'signal'
    >,
): Promise<Comparison> {
  const config = loadConfig({ file, environment, cwd, wallet })
  const strategies = await loadStrategies(config)
  const before = await makePlan({
    ...{ config, strategies, shown: strategies, spanMs, clock, signal },
    openMarket: () => openWholeMarket(config, clock),
  })
  const changes = comparePlans(only(before, names), plan)
  return { with: file, changes, note: '' }
}

async function againstRunning(
  plan: PlanView,
  { config, spanMs, names }: Wanted & { readonly config: Config },
): Promise<Comparison> {
  const running = await runningPlan(config, { spanMs })
  if ('reason' in running) return { with: 'the running bot', changes: null, note: running.reason }
  const changes = comparePlans(only(running.plan, names), plan)
  return { with: `the bot at ${running.at}`, changes, note: '' }
}

/** Of the other plan, what this one shows as well. */
function only(plan: PlanView, names: readonly string[]): PlanView {
  if (names.length === 0) return plan
  return {
    ...plan,
    strategies: plan.strategies.filter(({ name }) => names.includes(name)),
    blocks: plan.blocks.filter(({ strategy }) => names.includes(strategy)),
  }
}

function comparisonText({ with: what, changes, note }: Comparison): string {
  if (changes === null) return `Against ${what}\n${wrapText(note, 2)}`
  const lines = changes.length === 0 ? ['No slot, amount or block changes.'] : changes
  return [`Against ${what}`, ...lines.map((line) => wrapText(line, 2))].join('\n')
}
