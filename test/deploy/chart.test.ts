import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments, stringify } from 'yaml'
import packageJson from '../../package.json' with { type: 'json' }
import { openToOthers } from '../../src/core/openToOthers.ts'
import { hasHelm, helm } from '../support/helm.ts'
import { checkIn, commandOf, fleetYaml } from './inContainer.ts'
import { kubernetesProblems } from './kubernetesProblems.ts'
import { openServedPaths } from './servedPaths.ts'

const chart = new URL('../../deploy/helm/ballast', import.meta.url).pathname
const folder = mkdtempSync(join(tmpdir(), 'ballast-chart-'))
const roles = ['scheduler', 'worker', 'dashboard'] as const

const shared = ['DATABASE_URL', 'RPC_URL_ETHEREUM', 'QUOTE_API_KEY_ETHEREUM', 'DASHBOARD_TOKEN']
const monitors = { namespaceSelector: { matchLabels: { team: 'monitoring' } } }
const given = {
  secrets: {
    shared: [...shared, 'DASHBOARD_VIEWER_TOKEN'].map((variable) => ({
      ...{ variable, secret: 'ballast', key: variable.toLowerCase() },
    })),
    worker: [
      { variable: 'WALLET_PASSWORD_FILE_TREASURY', secret: 'treasury', key: 'password' },
      { file: 'treasury.json', secret: 'treasury', key: 'keystore' },
    ],
  },
  networkPolicy: {
    database: { port: 5432, to: [{ podSelector: { matchLabels: { app: 'postgres' } } }] },
    metricsFrom: [monitors],
    dashboardFrom: [{ namespaceSelector: { matchLabels: { team: 'ingress' } } }],
  },
  metrics: { enabled: true, labels: { release: 'prometheus' } },
  podAnnotations: { note: 'of ours' },
  nodeSelector: { pool: 'treasury' },
  tolerations: [{ key: 'treasury', operator: 'Exists' }],
  serviceAccount: { annotations: { role: 'may-sign' } },
  image: { repository: 'registry.example/ballast', pullSecrets: [{ name: 'registry' }] },
}

/** The words that hand Helm these values and this ballast.yaml. */
function filesOf(values: object, config = fleetYaml()): readonly string[] {
  const [file, bot] = [join(folder, 'values.yaml'), join(folder, 'ballast.yaml')]
  writeFileSync(file, stringify(values))
  writeFileSync(bot, config)
  return ['-f', file, '--set-file', `config=${bot}`]
}

// biome-ignore lint/suspicious/noExplicitAny: manifests are data of many shapes, which the schemas judge.
type Manifest = any

function render(values: object = given, config?: string): readonly Manifest[] {
  const { status, stdout, stderr } = helm('template', 'desk', chart, ...filesOf(values, config))
  if (status !== 0) throw new Error(stderr)
  // Kubernetes reads YAML 1.1, where 0400 is octal.
  return parseAllDocuments(stdout, { version: '1.1' }).map((document) => document.toJS())
}

const refusal = (values: object, config?: string) =>
  helm('template', 'desk', chart, ...filesOf(values, config)).stderr

test('the chart is of the version of the package, and names no other', () => {
  const { version, appVersion } = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8'))
  expect([version, appVersion]).toEqual([packageJson.version, packageJson.version])
  expect(parse(readFileSync(join(chart, 'values.yaml'), 'utf8')).image.tag).toBe('')
})

describe.skipIf(!hasHelm)('deploy/helm/ballast', () => {
  const manifests = hasHelm ? render() : []
  const of = (kind: string) => manifests.filter((one) => one.kind === kind)
  const deployments = of('Deployment')
  const roleOf = ({ metadata }: Manifest): string =>
    metadata.labels['app.kubernetes.io/component'] ?? ''
  const podOf = (role: string) =>
    deployments.find((one) => roleOf(one) === role)?.spec.template.spec ?? {}
  const environmentOf = (role: string): Record<string, string> =>
    Object.fromEntries(
      podOf(role).containers[0].env.map((one: Record<string, string>) => [one.name, one.value]),
    )
  /** The files that a role is handed, by their place, with their modes. */
  const handedTo = (role: string): readonly [string, number][] => {
    const { containers, volumes } = podOf(role)
    const place = containers[0].volumeMounts.find((one: Manifest) => one.name === 'secrets')
    const { sources } = volumes.find((one: Manifest) => one.name === 'secrets').projected
    return sources.flatMap(({ secret }: Manifest) =>
      secret.items.map(({ path, mode }: Manifest) => [`${place.mountPath}/${path}`, mode]),
    )
  }

  test('Helm finds nothing to say, whatever is switched on', () => {
    for (const values of [given, { ...given, metrics: { enabled: false } }]) {
      const { status, stdout, stderr } = helm('lint', '--strict', chart, ...filesOf(values))
      expect([status, stdout + stderr]).toEqual([0, expect.not.stringMatching(/WARN|ERROR/)])
    }
  })

  test('the schemas of Kubernetes take every manifest, and know every key in it', () => {
    const { image: _, ...plain } = given
    const digest = `sha256:${'a'.repeat(64)}`
    for (const values of [given, { ...plain, image: { repository: 'ballast', digest } }])
      for (const one of render(values).filter(({ kind }) => kind !== 'PodMonitor'))
        expect([one.kind, kubernetesProblems(one)]).toEqual([one.kind, []])
  })

  test('a key that Kubernetes does not know is noticed, and a value of another kind', () => {
    const [one] = deployments
    const wrong = structuredClone(one)
    wrong.spec.template.spec.containers[0].securityContext.readOnly = true
    const at = '/spec/template/spec/containers/0/securityContext/readOnly'
    expect(kubernetesProblems(wrong)).toEqual([at])
    const [words, missing] = [structuredClone(one), structuredClone(one)]
    words.spec.replicas = 'two'
    delete missing.spec.selector
    for (const broken of [words, missing]) expect(kubernetesProblems(broken)).not.toEqual([])
  })

  test('has each role once, and nothing that carries a secret', () => {
    expect(deployments.map(roleOf).sort()).toEqual([...roles].sort())
    expect(new Set(manifests.map(({ kind }) => kind))).toEqual(
      new Set([
        ...['Deployment', 'Service', 'ConfigMap', 'ServiceAccount', 'NetworkPolicy'],
        ...['PodDisruptionBudget', 'PodMonitor'],
      ]),
    )
    for (const role of roles) expect(podOf(role).containers).toHaveLength(1)
    expect(deployments.find((one) => roleOf(one) === 'worker')?.spec.replicas).toBe(2)
  })

  test.each(roles)('%s: its words are a command line of Ballast', async (role) => {
    const [{ args, command }] = podOf(role).containers
    expect(command).toBeUndefined()
    const options = { role, port: 8787 }
    expect(await commandOf(args)).toMatchObject({ name: 'run', options })
  })

  test.each(roles)('%s: its variables and files make a right configuration', async (role) => {
    const environment = environmentOf(role)
    const { code, text, unread } = await checkIn(environment)
    expect([text, code]).toEqual([expect.stringContaining('wallet'), 0])
    expect(unread).toEqual([])
    const files = handedTo(role).map(([path]) => path)
    for (const [name, value] of Object.entries(environment))
      if (name !== 'BALLAST_CONFIG') expect(files).toContain(value)
  })

  test('keys are for workers alone', () => {
    const wallets = (role: string) =>
      handedTo(role).filter(([path]) => /wallet|treasury/i.test(path)).length
    expect(roles.map(wallets)).toEqual([0, 2, 0])
  })

  test.each(roles)('%s: reads its secrets, and nobody else does', (role) => {
    const { securityContext, volumes } = podOf(role)
    const { defaultMode } = volumes.find((one: Manifest) => one.name === 'secrets').projected
    for (const mode of [defaultMode, ...handedTo(role).map(([, mode]) => mode)]) {
      expect(mode).toBe(0o400)
      // As it is mounted: of root, and readable for fsGroup.
      expect(openToOthers({ mode: mode | 0o040, uid: 0 }, securityContext.runAsUser)).toBe(false)
    }
    expect(securityContext.fsGroup).toBe(securityContext.runAsGroup)
  })

  test.each(roles)('%s: may do no more than it needs', (role) => {
    const pod = podOf(role)
    expect(pod).toMatchObject({
      ...{ automountServiceAccountToken: false, enableServiceLinks: false },
      securityContext: {
        ...{ runAsNonRoot: true, runAsUser: 65532, runAsGroup: 65532 },
        seccompProfile: { type: 'RuntimeDefault' },
      },
    })
    for (const name of ['hostNetwork', 'hostPID', 'hostIPC', 'initContainers'])
      expect(pod[name]).toBeUndefined()
    for (const { securityContext, resources } of pod.containers) {
      expect(securityContext).toEqual({
        ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, runAsNonRoot: true },
        capabilities: { drop: ['ALL'] },
        seccompProfile: { type: 'RuntimeDefault' },
      })
      expect(resources.limits.memory).toMatch(/^\d+[MG]i$/)
    }
    const kinds = pod.volumes.flatMap(({ name: _, ...kind }: Manifest) => Object.keys(kind))
    expect(new Set(kinds)).toEqual(new Set(['configMap', 'projected', 'emptyDir']))
  })

  test.each(roles)('%s: has the time to end that a swap in flight needs', (role) => {
    const pod = podOf(role)
    expect(pod.terminationGracePeriodSeconds).toBe(150)
    expect(pod.containers[0].lifecycle).toBeUndefined()
  })

  test('each role is asked at a path that it answers, and never where a person is called', async () => {
    const served = await openServedPaths()
    const asked = roles.flatMap((role) => {
      const [{ startupProbe, livenessProbe, readinessProbe }] = podOf(role).containers
      return [startupProbe, livenessProbe, readinessProbe].map((probe) => probe.exec.command)
    })
    expect(asked).toHaveLength(9)
    for (const [program, script, port, path] of asked) {
      expect([program, script, port]).toEqual(['node', '/app/probe.mjs', '8787'])
      expect(served).toContain(path)
      expect(path).not.toBe('/readyz')
    }
  })

  test('metrics are read at a path and a port that every role has, with a token', async () => {
    const [{ spec }] = of('PodMonitor')
    const [endpoint] = spec.podMetricsEndpoints
    expect(await openServedPaths()).toContain(endpoint.path)
    for (const role of roles) {
      const [{ ports }] = podOf(role).containers
      expect(ports).toEqual([{ name: endpoint.port, containerPort: 8787 }])
    }
    expect(endpoint.authorization.credentials).toEqual({
      ...{ name: 'ballast', key: 'dashboard-viewer-token' },
    })
    expect(render({ ...given, metrics: { enabled: false } }).map(({ kind }) => kind)).not.toContain(
      'PodMonitor',
    )
  })

  test('selectors find the pods that they are for, and no others', () => {
    const finds = (labels: Record<string, string>) =>
      deployments
        .filter(({ spec }) =>
          Object.entries(labels).every(
            ([name, value]) => spec.template.metadata.labels[name] === value,
          ),
        )
        .map(roleOf)
        .sort()
    const [service] = of('Service')
    const [budget] = of('PodDisruptionBudget')
    const [monitor] = of('PodMonitor')
    expect(finds(service.spec.selector)).toEqual(['dashboard'])
    expect(finds(budget.spec.selector.matchLabels)).toEqual(['worker'])
    expect(finds(monitor.spec.selector.matchLabels)).toEqual([...roles].sort())
    for (const one of deployments) {
      expect(finds(one.spec.selector.matchLabels)).toEqual([roleOf(one)])
      for (const { labelSelector } of podOf(roleOf(one)).topologySpreadConstraints)
        expect(finds(labelSelector.matchLabels)).toEqual([roleOf(one)])
    }
    const [every, dashboard] = of('NetworkPolicy')
    expect(finds(every.spec.podSelector.matchLabels)).toEqual([...roles].sort())
    expect(finds(dashboard.spec.podSelector.matchLabels)).toEqual(['dashboard'])
  })

  test('nothing comes in and nothing goes out but what the values name', () => {
    const [every] = of('NetworkPolicy')
    expect(every.spec.policyTypes).toEqual(['Ingress', 'Egress'])
    const { metricsFrom: _, dashboardFrom: __, ...networkPolicy } = given.networkPolicy
    const closed = render({ ...given, networkPolicy }).filter(
      ({ kind }) => kind === 'NetworkPolicy',
    )
    expect(closed).toHaveLength(1)
    expect(closed[0].spec.ingress).toBeUndefined()
    const rules = [
      ...closed[0].spec.egress,
      ...of('NetworkPolicy').flatMap((one) => one.spec.ingress),
    ]
    // A rule without peers or without ports would let everybody through.
    for (const { from = [], to = [], ports } of rules) {
      expect([from.length + to.length, ports.length]).toEqual([1, expect.any(Number)])
      expect(ports.length).toBeGreaterThan(0)
    }
    const portsOf = ({ spec }: Manifest) => spec.egress.map(({ ports }: Manifest) => ports[0].port)
    expect(portsOf(closed[0])).toEqual([53, 5432, 443])
    // A port of its own opens to its own peers alone.
    const metadata = { to: [{ ipBlock: { cidr: '169.254.169.254/32' } }], ports: [{ port: 80 }] }
    const more = { ...given.networkPolicy, more: [metadata] }
    const [opened] = render({ ...given, networkPolicy: more }).filter(
      ({ kind }) => kind === 'NetworkPolicy',
    )
    expect(portsOf(opened)).toEqual([53, 5432, 443, 80])
    expect(opened.spec.egress.at(-1)).toEqual(metadata)
  })

  test('ballast.yaml arrives as it was written, as a folder that follows its changes', () => {
    const [{ data }] = of('ConfigMap')
    expect(data['ballast.yaml'].trimEnd()).toBe(fleetYaml().trimEnd())
    for (const role of roles) {
      const mount = podOf(role).containers[0].volumeMounts.find(
        (one: Manifest) => one.name === 'config',
      )
      expect(mount).toEqual({ name: 'config', mountPath: '/etc/ballast', readOnly: true })
    }
  })

  test('an image has the tag of the version, or a digest', () => {
    const imageOf = (values: object) =>
      render(values).find(({ kind }) => kind === 'Deployment').spec.template.spec.containers[0]
        .image
    expect(imageOf(given)).toBe(`registry.example/ballast:${packageJson.version}`)
    const digest = `sha256:${'a'.repeat(64)}`
    expect(imageOf({ ...given, image: { digest } })).toBe(`ballast@${digest}`)
  })

  const [database] = given.secrets.shared
  test.each([
    ['a key that is none', { ...given, replicas: 3 }, /additional properties 'replicas'/],
    ['the tag latest', { ...given, image: { tag: 'latest' } }, /\/image\/tag/],
    [
      'a database that everybody would be',
      { ...given, networkPolicy: { database: { to: [] } } },
      /\/networkPolicy\/database\/to/,
    ],
    [
      'a number of workers in words',
      { ...given, worker: { replicas: 'two' } },
      /\/worker\/replicas/,
    ],
    [
      'a secret that is variable and file at once',
      { ...given, secrets: { shared: [{ ...database, file: 'x' }], worker: [] } },
      /\/secrets\/shared\/0/,
    ],
    [
      'a value in the place of a secret',
      { ...given, secrets: { shared: [{ variable: 'DATABASE_URL', value: 'x' }], worker: [] } },
      /\/secrets\/shared\/0/,
    ],
  ])('refuses %s', (_, values, sentence) => {
    expect(refusal(values)).toMatch(sentence)
  })

  test('archives lie on a claim that every pod mounts, or there are none', () => {
    const retained = (archives: string) =>
      fleetYaml()
        .replace(/^"journal":.*$/m, '')
        .concat(`journal: { retention: 90d${archives} }\n`)
    const lost = /config: journal\.retention takes bodies out of the journal: set archives\.claim/
    expect(refusal(given, retained(''))).toMatch(lost)
    const claimed = { ...given, archives: { claim: 'archives' } }
    for (const folder of ['', '/data/archives', '/archives2', '/archives/../tmp/a'])
      expect(refusal(claimed, retained(`, archives: "${folder}"`))).toMatch(lost)
    const pods = render(claimed, retained(', archives: /archives')).filter(
      ({ kind }) => kind === 'Deployment',
    )
    expect(pods).toHaveLength(3)
    for (const { spec } of pods) {
      const { containers, volumes } = spec.template.spec
      expect(containers[0].volumeMounts).toContainEqual({
        name: 'archives',
        mountPath: '/archives',
      })
      expect(volumes).toContainEqual({
        name: 'archives',
        persistentVolumeClaim: { claimName: 'archives' },
      })
    }
  })

  test('refuses a ballast.yaml whose dashboard nobody could reach', () => {
    const local = fleetYaml().replace('0.0.0.0', '127.0.0.1')
    expect(refusal(given, local)).toMatch(/config: write dashboard: \{ host: 0\.0\.0\.0/)
    expect(refusal(given, '')).toMatch(/\/config/)
    for (const key of ['tls: { cert: a, key: b }', 'socket: /run/ballast.sock']) {
      const other = fleetYaml().replace(/^( *)"host": "0\.0\.0\.0"$/m, `$&\n$1${key}`)
      expect(other).toContain(key)
      expect(refusal(given, other)).toMatch(/leave out dashboard\.tls and dashboard\.socket/)
    }
  })
})
