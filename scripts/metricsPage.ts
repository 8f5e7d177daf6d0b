import type { Registry } from 'prom-client'
import { systemClock } from '../src/core/clock.ts'
import { botMetrics } from '../src/dashboard/botMetrics.ts'
import { fleetMetrics } from '../src/dashboard/createFleetDashboard.ts'
import { createMetrics } from '../src/service/createMetrics.ts'
import { exposeFigures } from '../src/service/makers/makerFigures.ts'
import { markdownTable } from './markdownTable.ts'
import { botSample, fleetSample } from './sampleFigures.ts'

type Row = readonly [name: string, type: string, labels: string, help: string]

/** The reference of every metric, from the code that answers `/metrics`. */
export async function metricsPage(): Promise<string> {
  const service = createMetrics({ clock: systemClock })
  service.requestsOpen(() => 0)
  exposeFigures(service.registry, [])
  const bot = await botMetrics(botSample)
  const fleet = await fleetMetrics(...fleetSample)
  return `# Metrics

Every metric of \`/metrics\`, in the text format of Prometheus. This page is generated: \`npm run docs\` writes it from the code that
answers. What monitors do with them is in docs/MONITORING.md.

## The bot

At the dashboard of \`ballast run\`, and of each wallet of a fleet under its path. Totals are those of the journal: a restart does
not set them back. They are counted once a minute.

${table(rowsOfText(bot.text))}

## A fleet

At the dashboard of a fleet.

${table(rowsOfText(fleet.text))}

## The quoting service

At \`ballast service\`.

${table(rowsOfRegistry(service.registry))}
`
}

const table = (rows: readonly Row[]) =>
  markdownTable([['metric', 'type', 'labels', 'meaning'], ...rows])

/** The rows of a text in the format of Prometheus, which has a sample of each metric. */
function rowsOfText(text: string): readonly Row[] {
  return [...text.matchAll(/^# HELP (\w+) (.+)\n# TYPE \w+ (\w+)\n\w+(?:\{(.*?)\})? /gm)].map(
    ([, name = '', help = '', type = '', labels = '']) => [
      `\`${name}\``,
      type,
      quoted([...labels.matchAll(/(\w+)=/g)].map(([, label = '']) => label)),
      help,
    ],
  )
}

/** What the types of the library leave out: what a metric was made with. */
type Described = { readonly labelNames: readonly string[]; readonly name: string }

function rowsOfRegistry(registry: Registry): readonly Row[] {
  return registry.getMetricsAsArray().map((metric) => {
    const { labelNames } = metric as unknown as Described
    return [`\`${metric.name}\``, String(metric.type), quoted(labelNames), metric.help]
  })
}

const quoted = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')
