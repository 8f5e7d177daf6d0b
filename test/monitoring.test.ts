import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { botSample, fleetSample } from '../scripts/sampleFigures.ts'
import { botMetrics } from '../src/dashboard/botMetrics.ts'
import { fleetMetrics } from '../src/dashboard/createFleetDashboard.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const rulesText = read('deploy/prometheus-rules.yaml')
const dashboardText = read('deploy/grafana.json')

type Rule = {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly description: string }
}
const rules: readonly Rule[] = parse(rulesText).groups.flatMap(
  ({ rules: of }: { rules: Rule[] }) => of,
)
type Panel = { readonly title: string; readonly targets: readonly { readonly expr: string }[] }
const panels: readonly Panel[] = JSON.parse(dashboardText).panels

/** The names of everything that a bot with all of it says, each with its labels. */
const metrics = async () => namesIn((await botMetrics(botSample)).text)

/** The same of a fleet. */
const metricsOfFleet = async () => namesIn((await fleetMetrics(...fleetSample)).text)

function namesIn(said: string): ReadonlyMap<string, readonly string[]> {
  const samples = said.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    samples.map((line) => {
      const [, name = '', labels = ''] = /^(\w+)(?:\{(.*?)\})? /.exec(line) ?? []
      return [name, [...labels.matchAll(/(\w+)=/g)].map(([, label = '']) => label)]
    }),
  )
}

const expressions = [
  ...rules.map(({ expr }) => expr),
  ...panels.flatMap((one) => one.targets.map(({ expr }) => expr)),
]

describe('deploy: what monitors are given', () => {
  test('rules and dashboard use metrics that exist, with labels that these have', async () => {
    const known = new Map([...(await metricsOfFleet()), ...(await metrics())])
    for (const expr of expressions)
      for (const [, name = '', inside = ''] of expr.matchAll(/\b(ballast_\w+)(?:\{(.*?)\})?/g)) {
        expect([...known.keys()], expr).toContain(name)
        // Prometheus adds the job by itself.
        for (const [, label = ''] of inside.matchAll(/(\w+)[=!]~?"/g))
          expect(['job', ...(known.get(name) ?? [])], expr).toContain(label)
      }
  })
  test('every metric is on the dashboard, and each panel and rule queries one', async () => {
    for (const name of (await metrics()).keys()) expect(dashboardText).toContain(name)
    for (const expr of expressions) expect(expr).toMatch(/ballast/)
  })
  test('a wallet that trades and needs attention is a warning; one that does not trade is critical', () => {
    const of = (name: string) => rules.find(({ alert }) => alert === name)
    const [stopped, asking] = ['BallastWalletNotRunning', 'BallastWalletNeedsAttention'].map(of)
    expect([stopped?.labels.severity, asking?.labels.severity]).toEqual(['critical', 'warning'])
    const left = /^ballast_wallets\{state!~"(.*)"\} > 0$/.exec(stopped?.expr ?? '')?.[1]
    expect(left?.split('|').sort()).toEqual(['NEEDS ATTENTION', 'RUNNING'])
    expect(asking?.expr).toBe('ballast_wallets{state="NEEDS ATTENTION"} > 0')
  })
  test('swaps that only cost gas are counted over their states, and a fleet without its dashboard is critical', () => {
    const of = (name: string) => rules.find(({ alert }) => alert === name)
    expect(of('BallastSwapsOnlyCostGas')?.expr).toMatch(/^sum without \(state\) \(increase\(/)
    expect(of('BallastFleetUnseen')).toMatchObject({
      expr: 'absent(ballast_wallets) and on() count(ballast_process_up) > 0',
      labels: { severity: 'critical' },
    })
  })
  test('codes in the rules are codes of the manual', () => {
    const manual = read('docs/MONITORING.md') + read('docs/LOCKS.md')
    const codes = rules.flatMap(({ expr }) =>
      [...expr.matchAll(/code[=!]~?"(.*?)"/g)].flatMap(([, list = '']) => list.split('|')),
    )
    expect(codes.length).toBeGreaterThan(5)
    for (const code of codes) expect(manual).toContain(`\`${code}\``)
  })
  test('each rule says what it is and what to do', () => {
    for (const { alert, labels, annotations } of rules) {
      expect(alert).toMatch(/^Ballast\w+$/)
      expect(['critical', 'warning']).toContain(labels.severity)
      for (const said of [annotations.summary, annotations.description]) expect(said).toMatch(/\.$/)
    }
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
  })
  test('the Docker health check is a command of the very program, and asks no door', () => {
    const dockerfile = read('Dockerfile')
    const check = /^HEALTHCHECK .*\\\n {2}CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]'
    const entry = /^ENTRYPOINT (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]'
    expect(JSON.parse(check)).toEqual([
      JSON.parse(entry)[0],
      JSON.parse(entry).at(-1),
      ...['status', '--check'],
    ])
  })
})
