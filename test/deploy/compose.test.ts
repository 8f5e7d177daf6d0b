import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { checkIn, commandOf } from './inContainer.ts'
import { openServedPaths } from './servedPaths.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const text = read('deploy/fleet/compose.yaml')
const { services, networks, secrets, volumes } = parse(text, { merge: true })
const roles = ['scheduler', 'worker', 'dashboard'] as const
const ballasts = [...roles, 'signer'] as const
const all = Object.keys(services)

describe('deploy/fleet/compose.yaml', () => {
  test('has every role, a database, and a signer where it is wanted', () => {
    expect(all.sort()).toEqual([...ballasts, 'postgres'].sort())
    expect(services.signer.profiles).toEqual(['signer'])
    expect(services.worker.deploy.replicas).toBeGreaterThan(1)
  })

  test.each(roles)('%s: its words are a command line of Ballast', async (role) => {
    expect(await commandOf(services[role].command)).toMatchObject({
      name: 'run',
      options: { role, port: 8787 },
    })
  })

  test('signer: its words are a command line of Ballast', async () => {
    const config = '/etc/ballast/signer.yaml'
    expect(await commandOf(services.signer.command)).toMatchObject({
      ...{ name: 'signer', global: { config } },
    })
    expect(Object.keys(services.signer.environment)).toEqual(['WALLET_PASSWORD_FILE'])
  })

  test.each(roles)('%s: its variables and files make a right configuration', async (role) => {
    const { code, text: said, unread } = await checkIn(services[role].environment)
    expect([said, code]).toEqual([expect.stringContaining('wallet'), 0])
    expect(unread).toEqual([])
  })

  test('no secret stands in it: every variable is a path of one that the service is given', () => {
    const plain = { BALLAST_CONFIG: '/etc/ballast/ballast.yaml', POSTGRES_USER: 'ballast' }
    const known: Readonly<Record<string, string>> = { ...plain, POSTGRES_DB: 'ballast' }
    for (const name of all) {
      const { environment, env_file: file, secrets: given } = services[name]
      expect(file).toBeUndefined()
      for (const [variable, value] of Object.entries<string>(environment))
        if (value !== known[variable])
          expect(given.map((secret: string) => `/run/secrets/${secret}`)).toContain(value)
      for (const secret of given) expect(Object.keys(secrets)).toContain(secret)
    }
    for (const { file } of Object.values<{ file: string }>(secrets))
      expect(file).toMatch(/^\.\/secrets\/[a-z-]+$/)
    expect(read('.gitignore')).toMatch(/^deploy\/fleet\/secrets\/$/m)
  })

  test('keys are for those that sign alone', () => {
    for (const name of ['scheduler', 'dashboard', 'postgres'])
      expect(JSON.stringify(services[name])).not.toMatch(/wallet/i)
  })

  test.each(all)('%s: may do and use no more than it needs, and starts again', (name) => {
    const service = services[name]
    expect(service).toMatchObject({
      ...{ restart: 'unless-stopped', read_only: true, cap_drop: ['ALL'] },
      ...{ security_opt: ['no-new-privileges:true'], stop_grace_period: '2m' },
      deploy: {
        resources: {
          limits: {
            cpus: expect.any(String),
            memory: expect.any(String),
            pids: expect.any(Number),
          },
        },
      },
    })
    expect([service.cap_add, service.privileged]).toEqual([undefined, undefined])
    // A tag that names a version, or makes the operator name one.
    expect(service.image).toMatch(/^[a-z]+:(?:\d|\$\{BALLAST_VERSION:\?)/)
    expect(service.image).not.toMatch(/latest/)
  })

  test('only the dashboard is reached from outside, on this machine; the database by the roles alone', () => {
    const published = all.filter((name) => services[name].ports !== undefined)
    expect(published).toEqual(['dashboard'])
    expect(services.dashboard.ports).toEqual(['127.0.0.1:8787:8787'])
    expect(networks.database).toEqual({ internal: true })
    const inside = all.filter((name) => services[name].networks?.includes('database'))
    expect(inside.sort()).toEqual([...roles, 'postgres'].sort())
    expect(services.postgres.networks).toEqual(['database'])
    expect([services.signer.network_mode, services.signer.networks]).toEqual(['none', undefined])
  })

  test('the signer shares the folder of its socket with workers, and nothing else', () => {
    const named = (name: string) =>
      services[name].volumes
        .map((volume: string) => volume.split(':')[0])
        .filter((volume: string) => volume in volumes)
    expect(named('signer')).toEqual(['signer', 'counts'])
    expect(named('worker')).toEqual(['signer'])
    // An empty volume takes its owner from the image.
    expect(read('Dockerfile')).toMatch(/install -d -o 65532 .* \/data \/run\/signer$/m)
  })

  test('each role is asked at a path that it answers, by a program of the image', async () => {
    const paths = await openServedPaths()
    for (const role of roles) {
      const [, program, script, port, path] = services[role].healthcheck.test
      expect([program, script, port]).toEqual(['node', '/app/probe.mjs', '8787'])
      expect(paths).toContain(path)
    }
    expect(read('Dockerfile')).toMatch(/^COPY deploy\/probe\.mjs \/app\/$/m)
    expect(read('.dockerignore')).toMatch(/^!deploy\/probe\.mjs$/m)
  })
})
