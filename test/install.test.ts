import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { type Fork, forkOrigin } from './support/forkOrigin.ts'

const { version } = packageJson
/** Away from the repository, so that no node_modules is above it. */
const home = mkdtempSync(join(tmpdir(), 'install-'))
const handedOut = join(home, 'release')
const executable = `ballast-${version}-linux-${process.arch}`
const packed = (name: string) => join(handedOut, `${name}-${version}.tgz`)

/** A machine with nothing but Node 24: what else is in its PATH is the system's. */
const machine = (...bin: readonly string[]) => ({
  PATH: [...bin, join(home, 'node'), '/usr/bin', '/bin'].join(delimiter),
  HOME: home,
  COLUMNS: '1000',
})

/** npm as a user has it, without the settings of the run and without a network. */
function npm(...args: readonly string[]): void {
  execFileSync('npm', [...args, '--offline', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
}

function emptyFolder(name: string): string {
  const folder = join(home, name)
  mkdirSync(folder)
  return folder
}

/** The one command that says which bytes there are; a link is not followed. */
const megabytesOf = (folder: string): number =>
  globSync('**', { cwd: folder }).reduce(
    (sum, path) => sum + lstatSync(join(folder, path)).size,
    0,
  ) / 1e6

function ballast(
  args: readonly string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
) {
  const { status, stdout, stderr } = spawnSync('ballast', args, { cwd, env, encoding: 'utf8' })
  return { status, stdout, stderr }
}

/** As docs/START.md does it: what the sandbox knows from its own file, and the strategies of this one. */
function fillIn(file: string, { ready }: Fork): void {
  const [, strategies] = readFileSync(file, 'utf8').split(/^(?=strategies:)/m)
  const [known] = readFileSync(ready.config, 'utf8').split(/^(?=strategies:)/m)
  writeFileSync(file, `${known}${strategies}`.replace(/price: \S+ USDC/, 'price: 2900 USDC'))
}

/** What it says until it says that; then, after what is to be done with it, it is asked to end. */
async function saysUntil(
  child: ChildProcess,
  text: string,
  meanwhile = async (_said: string) => {},
): Promise<string> {
  let said = ''
  await new Promise<void>((resolve) => {
    child.on('close', () => resolve())
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        said += chunk
        if (said.includes(text)) resolve()
      })
  })
  await meanwhile(said)
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGTERM')
    await once(child, 'close')
  }
  return said
}

beforeAll(() => {
  mkdirSync(join(home, 'node'))
  symlinkSync(process.execPath, join(home, 'node', 'node'))
  execFileSync(process.execPath, ['scripts/release.ts', handedOut])
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

describe('what a release hands out', () => {
  const isLinux = process.platform === 'linux'
  const names = [
    ...['CHANGES.md', ...(isLinux ? ['LICENSE-node.txt'] : []), 'SHA256SUMS'],
    ...(isLinux ? [executable] : []),
    ...[`ballast-bot-${version}.tgz`, `ballast-demo-${version}.tgz`, 'sbom.cdx.json'],
  ]
  const sumsOf = (folder: string) => readFileSync(join(folder, 'SHA256SUMS'), 'utf8')

  test('is complete, and has the sums that it states', () => {
    expect(readdirSync(handedOut).sort()).toEqual(names)
    execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: handedOut })
    expect(sumsOf(handedOut).trim().split('\n')).toHaveLength(names.length - 1)
    expect(readFileSync(join(handedOut, 'CHANGES.md'), 'utf8')).toContain('## Unreleased')
    // The executable is Node as well.
    if (!isLinux) return
    const { components } = JSON.parse(readFileSync(join(handedOut, 'sbom.cdx.json'), 'utf8'))
    const node = components.filter(({ name }: { name: string }) => name === 'node')
    expect(node).toMatchObject([{ type: 'platform', version: process.versions.node }])
  })

  test('is the same bytes when it is made again', () => {
    const again = join(home, 'again')
    execFileSync(process.execPath, ['scripts/release.ts', again])
    expect(sumsOf(again)).toBe(sumsOf(handedOut))
  })
})

describe('the packed file, installed on a machine with nothing but Node', () => {
  const prefix = join(home, 'prefix')
  const env = machine(join(prefix, 'bin'))
  beforeAll(() => npm('install', '--global', '--prefix', prefix, packed('ballast-bot')))

  test('is small, and one package', () => {
    expect(megabytesOf(prefix)).toBeLessThan(120)
    expect(globSync('lib/node_modules/*', { cwd: prefix })).toEqual([
      'lib/node_modules/ballast-bot',
    ])
  })

  test('makes a configuration, checks it, and runs it on paper', async () => {
    const cwd = emptyFolder('treasury')
    const fork = await forkOrigin()
    try {
      const made = ballast(['config', 'init', '--strategy', 'threshold'], { cwd, env })
      expect(made).toMatchObject({ status: 0, stderr: '' })
      fillIn(join(cwd, 'ballast.yaml'), fork)
      expect(ballast(['config', 'check'], { cwd, env })).toMatchObject({ status: 0, stderr: '' })
      const run = spawn('ballast', ['run', '--paper', '--port', '0'], { cwd, env })
      expect(await saysUntil(run, 'SETTLED')).toContain('SETTLED threshold: sold')
    } finally {
      await fork.close()
    }
  })

  test('begins a strategy, whose test passes and whose names an editor knows', () => {
    const cwd = emptyFolder('strategist')
    expect(ballast(['new', 'strategy', 'buy-low'], { cwd, env })).toMatchObject({ status: 0 })
    const folder = join(cwd, 'buy-low')
    const tested = spawnSync('node', ['--test'], { cwd: folder, env, encoding: 'utf8' })
    expect(tested).toMatchObject({ status: 0, stdout: expect.stringContaining('pass 3') })
    const compiler = join(import.meta.dirname, '../node_modules/typescript/bin/tsc')
    const typed = () => spawnSync(process.execPath, [compiler], { cwd: folder, encoding: 'utf8' })
    expect(typed()).toMatchObject({ status: 0, stdout: '' })
    const file = join(folder, 'strategy.ts')
    writeFileSync(file, readFileSync(file, 'utf8').replace('sell.token', 'sell.symbol'))
    expect(typed().stdout).toContain("Property 'symbol' does not exist on type 'Amount'")
  })

  test('says in one sentence which package has the embedded market', () => {
    expect(ballast(['demo'], { cwd: emptyFolder('marketless'), env })).toEqual({
      status: 2,
      stdout: '',
      stderr: `ballast: The embedded market is a package of its own: npm install -g ballast-demo@${version}, or without -g where this program is not installed globally. (SANDBOX_MISSING)\n`,
    })
  })
})

describe('the embedded market, installed beside it', () => {
  const folder = join(home, 'both')
  const env = machine(join(folder, 'node_modules', '.bin'))
  beforeAll(() => {
    const anvil = `@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`
    // What it depends on comes from the packages of this repository, as the registry would give it.
    const needed = [
      ...['@foundry-rs/anvil', anvil, '@uniswap/v2-core', '@uniswap/v3-core'],
      ...['@uniswap/v3-periphery', '@uniswap/lib', '@openzeppelin/contracts', 'base64-sol'],
    ].map((name) => join(import.meta.dirname, '../node_modules', name))
    mkdirSync(folder)
    const files = [packed('ballast-bot'), packed('ballast-demo'), ...needed]
    npm('install', '--prefix', folder, '--install-links', ...files)
  })

  test('settles its first swap', async () => {
    const cwd = emptyFolder('demo')
    const demo = spawn('ballast', ['demo', '--port', '0'], { cwd, env })
    expect(await saysUntil(demo, 'SETTLED')).toContain('SETTLED weights: sold')
  })

  test('drills the bot', () => {
    const { status, stdout } = ballast(['drill', '--only', 'recipient-attacker'], {
      cwd: emptyFolder('drill'),
      env,
    })
    expect(status).toBe(0)
    expect(stdout).toContain('0 holes')
  })

  test('is refused in another version', () => {
    const file = join(folder, 'node_modules/ballast-demo/package.json')
    const was = readFileSync(file, 'utf8')
    writeFileSync(file, was.replace(`"version": "${version}"`, '"version": "0.0.1"'))
    expect(ballast(['sandbox'], { cwd: emptyFolder('other'), env }).stderr).toBe(
      `ballast: ballast-demo 0.0.1 is not for ballast-bot ${version}: npm install -g ballast-demo@${version}, or without -g where this program is not installed globally. (SANDBOX_MISSING)\n`,
    )
  })
})

describe('the packed file, unpacked into a folder', () => {
  test('starts on a machine with nothing but Node', () => {
    const cwd = emptyFolder('folder')
    execFileSync('tar', ['-xzf', packed('ballast-bot'), '-C', cwd])
    for (const args of [['--version'], ['config', 'init']])
      expect(
        spawnSync('node', ['package/ballast.mjs', ...args], { cwd, env: machine() }),
      ).toMatchObject({ status: 0, stderr: Buffer.from('') })
  })
})

describe.runIf(process.platform === 'linux')('the executable, on a machine with nothing', () => {
  const file = join(handedOut, executable)
  const account = join(home, 'account')
  const env = { HOME: account, PATH: '', COLUMNS: '1000' }
  const cwd = join(home, 'alone')
  const start = (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(file, args, { cwd, env, encoding: 'utf8' })
    return { status, stdout, stderr }
  }
  const params = '{ sell: 1 WETH, buy: USDC, every: 1s, tolerance: 50 bps }'
  const unpacked = () => globSync(join(account, '.cache/ballast/*'))
  beforeAll(() => {
    for (const folder of [account, cwd]) mkdirSync(folder)
  })

  test('is Node and the package', () => {
    expect(lstatSync(file).size / 1e6).toBeLessThan(160)
  })

  test('starts, twice at once as well, where nothing is unpacked yet', async () => {
    const starts = [1, 2].map(() => spawn(file, ['--version'], { cwd, env }))
    const said = await Promise.all(starts.map((child) => saysUntil(child, 'never said')))
    for (const one of said) expect(one).toMatch(new RegExp(`^${version} \\(commit .*\\)\n$`))
    expect(unpacked()).toHaveLength(1)
  })

  test('puts right what became of its files', () => {
    for (const path of ['ballast.mjs', 'strategies/threshold.ts'])
      writeFileSync(join(...unpacked(), path), 'throw new Error("not of the release")')
    expect(start('--version')).toMatchObject({ status: 0, stderr: '' })
    expect(start('config', 'init', '--list').stdout).toContain('threshold')
  })

  test('makes a configuration, checks it, and runs it and a strategy by its path on paper', async () => {
    const fork = await forkOrigin()
    try {
      expect(start('config', 'init', '--strategy', 'threshold')).toMatchObject({ status: 0 })
      fillIn(join(cwd, 'ballast.yaml'), fork)
      expect(start('new', 'strategy', 'buy-low')).toMatchObject({ status: 0, stderr: '' })
      const config = readFileSync(join(cwd, 'ballast.yaml'), 'utf8')
      const own = `- { name: own, use: ./buy-low/strategy.ts, params: ${params} }`
      writeFileSync(
        join(cwd, 'ballast.yaml'),
        config.replace(/^strategies:.*\n/m, (line) => `${line}  ${own}\n`),
      )
      expect(start('config', 'check')).toMatchObject({ status: 0, stderr: '' })
      const run = spawn(file, ['run', '--paper', '--port', '0'], { cwd, env })
      const said = await saysUntil(run, 'SETTLED own', async (so) => {
        const [url = ''] = /http:\S+/.exec(so) ?? []
        const months = await fetch(`${url}/api/months`)
        const { current } = (await months.json()) as { current: string }
        // A document is made by a process of its own, out of the same file.
        const statement = await fetch(`${url}/reports/${current}`)
        expect([statement.status, await statement.text()]).toEqual([
          200,
          expect.stringContaining(`<title>treasury ${current}</title>`),
        ])
      })
      expect(said).toContain('SETTLED own: sold')
    } finally {
      await fork.close()
    }
  })

  test('says in one sentence what takes a package', () => {
    expect(start('demo')).toEqual({
      status: 2,
      stdout: '',
      stderr: `ballast: The embedded market is a package of its own, which the executable cannot use: npm install -g ballast-bot@${version} ballast-demo@${version}, and run that ballast. (SANDBOX_MISSING)\n`,
    })
    const config = readFileSync(join(cwd, 'ballast.yaml'), 'utf8')
    const kms = '{ kind: aws-kms, keyId: alias/a, region: eu-central-1 }'
    writeFileSync(
      join(cwd, 'kms.yaml'),
      config.replace(/^(wallet: \{.*?) \}/m, `$1, signer: ${kms} }`),
    )
    expect(start('key', 'address', '--config', 'kms.yaml')).toEqual({
      status: 2,
      stdout: '',
      stderr:
        'ballast: wallet.signer needs the package @aws-sdk/client-kms, and an executable has no packages: npm install -g ballast-bot @aws-sdk/client-kms, and run that ballast (SIGNER_LIBRARY_MISSING)\n',
    })
  })

  test('opens no inspector, from its first instant on', () => {
    const probe = join(cwd, 'probe.cjs')
    writeFileSync(probe, 'process._rawDebug(process.execArgv)')
    const { stderr } = spawnSync(file, ['--version'], {
      cwd,
      env: { ...env, NODE_OPTIONS: `--require=${probe}` },
      encoding: 'utf8',
    })
    expect(stderr).toBe("[ '--disable-sigusr1' ]\n")
  })

  test('runs from no folder that another account could change', () => {
    chmodSync(join(account, '.cache/ballast'), 0o777)
    expect(start('--version', '--json')).toEqual({
      status: 2,
      stdout: expect.stringContaining('"code": "UNPACK_FAILED"'),
      stderr: '',
    })
  })
})
