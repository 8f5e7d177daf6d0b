import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { exitCodes } from '../src/cli/exitCodes.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const unit = read('deploy/ballast.service')
const values = (key: string) =>
  [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].flatMap(([, text = '']) => text.split(' '))
const numbers = (key: string) => values(key).map(Number)

test('the unit starts again for what passes, a defect and a kill, and for nothing else', () => {
  const { done, internal, again, interrupted, ...forPeople } = exitCodes
  expect(values('Restart')).toEqual(['on-failure'])
  expect(numbers('RestartForceExitStatus')).toEqual([again])
  expect(numbers('RestartPreventExitStatus')).toEqual([...Object.values(forPeople), 9])
  expect(numbers('SuccessExitStatus')).toEqual([interrupted])
  expect([done, internal]).toEqual([0, 1])
  // An outage of a night is longer than any number of starts.
  expect(numbers('StartLimitIntervalSec')).toEqual([0])
})

test('docs/SUPERVISORS.md has every exit code in its table', () => {
  const section = read('docs/SUPERVISORS.md')
  const listed = [...section.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, cell = '']) =>
    cell.split(', '),
  )
  expect(listed.map(Number).sort((a, b) => a - b)).toEqual(
    Object.values(exitCodes).sort((a, b) => a - b),
  )
})

test('as long as for Docker is waited for a swap in flight, and both start again', () => {
  const dockerfile = read('Dockerfile')
  expect(dockerfile).toMatch(/^# +docker run .*--restart unless-stopped .*--stop-timeout 120 /m)
  expect(numbers('TimeoutStopSec')).toEqual([120])
  const flags = /ENTRYPOINT \["node", "(.*)", "\/app\/ballast.mjs"\]/.exec(dockerfile)?.[1]
  expect(values('ExecStart')).toEqual(['/usr/bin/node', flags, '/opt/ballast/ballast.mjs', 'run'])
})

test('the locks of wallets lie where the bot may write: in the state directory, and in the volume', () => {
  expect([values('ProtectSystem'), values('ProtectHome')]).toEqual([['strict'], ['yes']])
  expect(values('StateDirectory')).toEqual(['ballast'])
  expect(values('Environment')).toContain('XDG_STATE_HOME=/var/lib')
  expect(read('Dockerfile')).toMatch(/^ENV (?:.*\\\n)*? +XDG_STATE_HOME=\/data /m)
})

test('a bot that stands still is killed without a dump of its memory, and started again', () => {
  expect(numbers('WatchdogSec')).toEqual([120])
  expect(values('WatchdogSignal')).toEqual(['SIGKILL'])
  expect(numbers('LimitCORE')).toEqual([0])
  // The message comes from a child: systemd-notify.
  expect(values('NotifyAccess')).toEqual(['all'])
})

test('the compose file runs the image as the Dockerfile says, and gives it no more', () => {
  const { services, volumes } = parse(read('deploy/compose.yaml'))
  const { ballast, postgres } = services
  const flags = /^# +docker run (.*) ballast$/m.exec(read('Dockerfile'))?.[1]
  expect(
    [
      `--restart ${ballast.restart}`,
      ...(ballast.init ? ['--init'] : []),
      `--stop-timeout ${Number.parseInt(ballast.stop_grace_period, 10)}`,
      ...(ballast.read_only ? ['--read-only'] : []),
      `--tmpfs ${ballast.tmpfs}`,
      `-v ${ballast.volumes}`,
      `--env-file ${ballast.env_file[0].replace('../', '')}`,
      `-p ${ballast.ports}`,
    ].join(' '),
  ).toBe(flags)
  expect(ballast).toMatchObject({
    ...{ build: { context: '..' }, command: ['run'], cap_drop: ['ALL'], ulimits: { core: 0 } },
    security_opt: ['no-new-privileges:true'],
  })
  expect(Object.keys(volumes)).toEqual(['ballast', 'postgres'])
  // No port of it leaves the network of the two, and it starts only where it is wanted.
  expect([postgres.ports, postgres.profiles]).toEqual([undefined, ['postgres']])
})

test("the journal is shipped by the configuration that the restore drill runs, without the bot's secrets", () => {
  const { shipping } = parse(read('deploy/compose.yaml')).services
  const [{ path, replicas }] = parse(read('deploy/litestream.yml')).dbs
  expect([path, ...replicas.map(({ url }: { url: string }) => url)]).toEqual(
    ['JOURNAL', 'REPLICA'].map((name) => `\${${name}}`),
  )
  expect(shipping.volumes).toContain('./litestream.yml:/etc/litestream.yml:ro')
  expect([shipping.env_file, shipping.profiles]).toEqual([undefined, ['shipping']])
  expect(Object.keys(shipping.environment)).toEqual(expect.arrayContaining(['JOURNAL', 'REPLICA']))
  const own = read('deploy/ballast-shipping.service')
  expect(own).toContain('EnvironmentFile=/etc/ballast/shipping.env')
  expect(own).not.toContain('ballast.env')
})

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

test.skipIf(!hasSystemd).each(['ballast.service', 'ballast-shipping.service'])(
  'systemd takes every line of %s, and rates its exposure as low',
  (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'unit-'))
    const path = join(folder, name)
    // A program of this machine: a unit whose program is missing is refused.
    writeFileSync(
      path,
      read(`deploy/${name}`).replace(/\/usr\/bin\/(node|litestream)/, process.execPath),
    )
    const analyze = (...args: string[]) => {
      const { status, stdout, stderr } = spawnSync('systemd-analyze', [...args, path], {
        encoding: 'utf8',
      })
      return { status, text: stdout + stderr }
    }
    expect(analyze('verify', '--man=no')).toEqual({ status: 0, text: '' })
    // Of 100; 17 here. Without the hardening it is 92.
    expect(analyze('security', '--offline=true', '--threshold=25').status).toBe(0)
    rmSync(folder, { recursive: true })
  },
)

test('the image is built from what its Dockerfile copies, and the build context has that', () => {
  const [stage = ''] = read('Dockerfile')
    .split(/^(?=FROM )/m)
    .slice(1)
  const copied = [...stage.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, paths = '']) =>
    paths.split(' '),
  )
  const context = read('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1))
  expect(copied.filter((path) => !context.includes(path))).toEqual([])
  const folder = mkdtempSync(join(tmpdir(), 'image-'))
  const root = join(import.meta.dirname, '..')
  try {
    for (const path of copied) cpSync(join(root, path), join(folder, path), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    const build = ['scripts/build.ts', join(folder, 'release')]
    const { status, stderr } = spawnSync(process.execPath, build, {
      cwd: folder,
      env: { ...process.env, BALLAST_COMMIT: 'abc' },
      encoding: 'utf8',
    })
    expect({ status, stderr }).toMatchObject({ status: 0 })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
