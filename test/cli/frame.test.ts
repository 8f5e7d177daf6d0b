import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, test } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { goodYaml } from '../config/goodYaml.ts'
import { runBallast, startBallast } from '../support/runBallast.ts'
import { callCli } from './callCli.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ballast-cli-'))
})

const write = (name: string, text: string) => writeFileSync(join(cwd, name), text, { mode: 0o600 })

/** A port where nobody listens. */
const nobody = 'http://127.0.0.1:9'

describe('help', () => {
  test('lists every command, fast, on stdout', async () => {
    const { code, stdout, stderr } = await runBallast(['--help'], { cwd })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const { name, summary } of commands) {
      expect(stdout).toContain(`\n  ${name} `)
      expect(stdout).toContain(summary.slice(0, 20))
    }
  })

  test('loads no viem', async () => {
    const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
    const hook = `import { registerHooks } from 'node:module'
registerHooks({ load(url, context, next) {
  if (/node_modules.(viem|zod|undici)/.test(url)) process.stderr.write('loaded ' + url)
  return next(url, context)
} })`
    write('hook.mjs', hook)
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--import', join(cwd, 'hook.mjs'), main, '--help'],
      { cwd, encoding: 'utf8' },
    )
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })

  test.for(commands)('$name explains itself with an example', async ({ name, load }) => {
    const { command } = await load()
    const leaves = 'commands' in command ? command.commands : [command]
    for (const leaf of leaves) {
      const words = 'commands' in command ? [name, leaf.name] : [name]
      const { code, stdout } = await callCli([...words, '--help'], { cwd })
      expect(code).toBe(0)
      expect(stdout).toContain(`Usage: ballast ${words.join(' ')}`)
      expect(stdout).toContain('--json')
      expect(stdout).toContain('--config <file>')
      expect(stdout).toMatch(/Example:\n {2}ballast /)
    }
  })

  test.for(commands)('$name: options are keyed by their flags', async ({ load }) => {
    const { command } = await load()
    for (const leaf of 'commands' in command ? command.commands : [command])
      for (const [key, { flags }] of Object.entries(leaf.options)) {
        const flag = /--([a-z0-9-]+)/.exec(flags)?.[1] ?? ''
        expect(key).toBe(flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()))
      }
  })

  test('ballast help quote is the same as ballast quote --help', async () => {
    const help = await callCli(['help', 'quote'], { cwd })
    expect(help).toEqual(await callCli(['quote', '--help'], { cwd }))
    expect(help.code).toBe(0)
  })

  test('--version, -V and version are that of package.json, and the commit where it is known', async () => {
    const file = new URL('../../package.json', import.meta.url)
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string }
    const told = await callCli(['--version'], { cwd })
    expect(told).toMatchObject({ code: 0, stderr: '' })
    expect(told.stdout).toMatch(/ \(commit (?:unknown|[0-9a-f]{12}(?:-dirty)?)\)\n$/)
    expect(told.stdout.startsWith(`${version} `)).toBe(true)
    for (const word of ['version', '-V']) expect(await callCli([word], { cwd })).toEqual(told)
    expect((await runBallast(['--version'], { cwd })).stdout).toMatch(/^\S+ \(commit \S+\)\n$/)
  })
})

describe('a command line that cannot be understood ends with 2', () => {
  test.for([
    [['chainz'], "ballast: 'chainz' is not a command; did you mean 'chains'?\n"],
    [['make-money'], "ballast: 'make-money' is not a command; 'ballast --help' lists them.\n"],
    [['config', 'chek'], "ballast: Unknown command 'chek'; did you mean 'check'?\n"],
    [['chains', '--jsn'], "ballast: Unknown option '--jsn'; did you mean '--json'?\n"],
    [
      ['chains', 'ethereum'],
      "ballast: Too many arguments for 'chains': it takes none (what was given is not shown).\n",
    ],
    [
      ['quote', '--buy', 'USDC'],
      'ballast: Required option \'--sell <amount>\' not specified. For example: ballast quote --sell "1 WETH" --buy USDC --firm\n',
    ],
    [
      ['quote', '--sell', '1', 'WETH', '--buy', 'USDC'],
      'ballast: Too many arguments for \'quote\': it takes none (what was given is not shown). A value with a space needs quotes. For example: ballast quote --sell "1 WETH" --buy USDC --firm\n',
    ],
    [['key', 'check'], "ballast: Unknown command 'check'; 'ballast key --help' lists them.\n"],
    [['backup'], /^ballast: Missing required argument '\w+'\. For example: ballast backup /],
    [['restore'], /^ballast: Missing required argument '\w+'\. For example: ballast restore /],
    [
      ['completion'],
      /^ballast: Missing required argument '\w+'\. For example: .*ballast completion /,
    ],
    [
      ['new', 'strategy'],
      /^ballast: Missing required argument '\w+'\. For example: ballast new strategy /,
    ],
    [['quote', '--sell'], "ballast: Option '--sell <amount>' argument missing.\n"],
    [['--config'], "ballast: Option '--config <file>' argument missing.\n"],
    [[], /^ballast: Which command\?/],
    [['config'], /^ballast: Which command\?/],
    [
      ['quote', '--sell', '1 WETH', '--buy', 'USDC', '--expiry', '121'],
      "ballast: --expiry takes a whole number from 1 to 120, not '121'.\n",
    ],
  ] as const)('%j', async ([args, sentence]) => {
    const { code, stdout, stderr } = await callCli(args, { cwd })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    if (typeof sentence === 'string') expect(stderr).toBe(sentence)
    else expect(stderr).toMatch(sentence)
  })

  test('and says so in JSON when asked, before or after the command', async () => {
    for (const args of [
      ['chains', '--foo', '--json'],
      ['--json', 'chains', '--foo'],
    ]) {
      const { code, stdout, stderr } = await callCli(args, { cwd })
      expect({ code, stderr }).toEqual({ code: 2, stderr: '' })
      expect(JSON.parse(stdout)).toEqual({
        error: { code: 'USAGE', message: "Unknown option '--foo'.", facts: {}, remedy: 'halt' },
      })
    }
  })
})

test.for([
  [[], "Which command? 'ballast --help' lists them."],
  [['audit'], "Which command? 'ballast audit --help' lists them."],
  [['key'], "Which command? 'ballast key --help' lists them."],
  [['config'], "Which command? 'ballast config --help' lists them."],
] as const)('%j without a command is one sentence in JSON', async ([args, message]) => {
  const { code, stdout } = await callCli([...args, '--json'], { cwd })
  expect(code).toBe(2)
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'USAGE', message } })
})

describe.each(['signer', 'service', 'maker'])('%s: the configuration file', (command) => {
  const missing = async (...args: string[]) => (await callCli([command, ...args], { cwd })).stderr

  test('is its own where nobody named one, and the one that was named otherwise', async () => {
    expect(await missing()).toContain(`There is no ${command}.yaml`)
    expect(await missing('--config', 'ballast.yaml')).toContain('There is no ballast.yaml')
  })

  test('is the one that its help names', async () => {
    const { stdout } = await callCli([command, '--help'], { cwd })
    expect(stdout).toMatch(new RegExp(`BALLAST_CONFIG or\\s+${command}\\.yaml`))
    expect(stdout).not.toContain('ballast.yaml')
  })
})

test('a failure carries its code at the end of its first line', async () => {
  write('ballast.yaml', goodYaml.replace('50 bps', '50').replace('10 bps', '10'))
  const { stderr } = await callCli(['config', 'check'], { cwd })
  const [first, ...facts] = stderr.trimEnd().split('\n')
  expect(first).toMatch(/^ballast: .* \(CONFIG_INVALID\)$/)
  expect(facts.length).toBeGreaterThan(1)
  expect(facts.join('\n')).not.toContain('CONFIG_INVALID')
})

test('run: a part of a fleet needs a journal that its processes share', async () => {
  write('ballast.yaml', goodYaml)
  const { code, stderr } = await callCli(['run', '--paper', '--role', 'worker'], { cwd })
  expect([code, stderr]).toEqual([2, expect.stringContaining('(FLEET_NEEDS_SERVER)')])
})

test('history of a strategy nobody knows names the known ones, with and without a journal', async () => {
  write('ballast.yaml', goodYaml)
  const known = () => callCli(['history', '--strategy', 'sell-strength'], { cwd })
  const unknown = () => callCli(['history', '--strategy', 'nosuch'], { cwd })
  const complaint =
    "ballast: No swap and no strategy has the name 'nosuch'. Known names: manual, sell-strength. (UNKNOWN_STRATEGY)\n"
  expect((await known()).code).toBe(0)
  expect(await unknown()).toEqual({ code: 2, stdout: '', stderr: complaint })
  await callCli(['pause'], { cwd })
  expect((await known()).code).toBe(0)
  expect(await unknown()).toEqual({ code: 2, stdout: '', stderr: complaint })
})

describe('-q and -v', () => {
  test('set the level of the log, before or after the command, and not both', async () => {
    write('ballast.yaml', goodYaml.replace('http://127.0.0.1:8546', nobody))
    const said = async (...args: string[]) => (await callCli(args, { cwd })).stderr
    const failed = await said('chains')
    expect(failed).not.toContain('    at ')
    expect(await said('-q', 'chains')).toBe(failed)
    expect(await said('-v', 'chains')).toContain('    at ')
    expect(await said('chains', '--verbose')).toContain('    at ')
    expect(await callCli(['chains', '-q', '-v'], { cwd })).toMatchObject({ code: 2 })
  })
})

describe('exit codes', () => {
  test('2: there is no configuration', async () => {
    const { code, stdout } = await runBallast(['chains', '--json'], { cwd })
    expect(code).toBe(2)
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'CONFIG_MISSING', message: expect.stringContaining('ballast config init') },
    })
  })

  test('2: the configuration is wrong; the sentence comes with its line', async () => {
    write('other.yaml', goodYaml.replace('50 bps', '50'))
    const { code, stderr } = await callCli(['config', 'check', '--config', 'other.yaml'], {
      cwd,
    })
    expect(code).toBe(2)
    expect(stderr).toBe(
      "ballast: other.yaml:29:3 policy.maxSlippage: '50' has no unit: write '50 bps' (1 bps is 0.01 %). (CONFIG_INVALID)\n",
    )
  })

  test('2: the parameters of a strategy are wrong', async () => {
    write('ballast.yaml', goodYaml.replace('price: 2950 USDC', 'price: 2950 DOGE'))
    const { code, stderr } = await callCli(['config', 'check'], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain('ballast.yaml:37:40')
    expect(stderr).toContain('DOGE')
  })

  test('4: the service cannot be reached', async () => {
    write('ballast.yaml', goodYaml.replace('http://127.0.0.1:8546', nobody))
    const { code, stdout, stderr } = await runBallast(['chains', '--json'], { cwd })
    expect({ code, stderr }).toEqual({ code: 4, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: 'QUOTE_UNAVAILABLE',
        message: `The quoting service ${nobody} cannot be reached. Start it, or correct service.url or QUOTE_API_URL.`,
        facts: { reason: 'ECONNREFUSED' },
        remedy: 'retry',
      },
    })
  })

  test('0: a right configuration, by BALLAST_CONFIG', async () => {
    write('named.yaml', goodYaml)
    const environment = { BALLAST_CONFIG: 'named.yaml' }
    const { code, stdout, stderr } = await callCli(['config', 'check', '--json'], {
      cwd,
      environment,
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      strategies: [{ name: 'sell-strength', use: 'threshold' }],
    })
  })

  test('0: Ctrl-C is how status --watch ends', async () => {
    write('ballast.yaml', goodYaml)
    const { child, ended, says } = startBallast(['status', '--watch'], { cwd })
    await says('NEVER')
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
  })

  test('130: interrupted while waiting for an answer', async () => {
    const server = createServer(() => undefined)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const yaml = goodYaml.replace('127.0.0.1:8546', `127.0.0.1:${port}`)
    write('ballast.yaml', yaml.replace('timeout: 3s', 'timeout: 60s'))
    const { child, ended } = startBallast(['chains'], { cwd })
    server.once('request', () => child.kill('SIGINT'))
    const { code, stdout } = await ended
    server.closeAllConnections()
    server.close()
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' })
  })
})

describe('secrets', () => {
  const key = `0x${'c0ffee42'.repeat(8)}`

  test('config show names where a secret is from and never the secret', async () => {
    write('ballast.yaml', goodYaml)
    write('.env', `QUOTE_API_KEY=super-secret-api-key\n`)
    const environment = {
      WALLET_KEY: key,
      RPC_URL: 'https://user:password-of-rpc@rpc.example/v3/key-in-the-path',
      ALSO_SEND_TO: 'https://one.example/key-in-the-path-1,https://two.example/?k=key-in-the-query',
    }
    for (const args of [
      ['config', 'show'],
      ['config', 'show', '--json'],
      ['config', 'check'],
    ]) {
      const { code, stdout, stderr } = await runBallast(args, { cwd, env: environment })
      expect(code).toBe(0)
      expect(stdout).toContain('https://rpc.example')
      expect(stdout + stderr).not.toMatch(/c0ffee42|super-secret|password-of|key-in-the/)
    }
    const { stdout } = await runBallast(['config', 'show'], { cwd, env: environment })
    expect(stdout).toMatch(/^service\.apiKey +\[secret\] +QUOTE_API_KEY \(\.env\)$/m)
    expect(stdout).toMatch(/^wallet\.key +\[secret\] +WALLET_KEY \(environment\)$/m)
    expect(stdout).toMatch(/^chain\.rpcUrl +https:\/\/rpc\.example +RPC_URL \(environment\)$/m)
    expect(stdout).toMatch(
      /^chain\.alsoSendTo +\[https:\/\/one\.example, https:\/\/two\.example\] +ALSO_SEND_TO \(environment\)$/m,
    )
    expect(stdout).toMatch(/^tokens\.USDC\.wrapsNative +false +default$/m)
  })

  test.each([
    ['key', 'import', key],
    ['key', key],
    ['chains', key],
    ['chains', `--${key}`],
    ['chains', `--key=${key.slice(2)}`],
    [key],
    [key.slice(2)],
  ])('one on the command line is not repeated: %s %s', async (...args) => {
    const { code, stdout, stderr } = await callCli(args, { cwd })
    expect(code).toBe(2)
    expect(stdout + stderr).not.toContain('c0ffee')
  })

  test('a stack at LOG_LEVEL=debug does not show one either', async () => {
    write('ballast.yaml', goodYaml)
    const { code, stderr } = await runBallast(['chains'], {
      cwd,
      env: {
        LOG_LEVEL: 'debug',
        QUOTE_API_KEY: 'super-secret-api-key',
        QUOTE_API_URL: `${nobody}/with/key-in-the-path`,
      },
    })
    expect(code).toBe(4)
    // As it goes wrong: at the connection.
    expect(stderr).toMatch(/\n {4}at send \(/)
    expect(stderr).not.toMatch(/super-secret|key-in-the-path/)
  })
})

describe('config init', () => {
  test('writes a file to fill in, with a schema for the editor, and never over another', async () => {
    expect((await callCli(['config', 'init'], { cwd })).code).toBe(0)
    const written = readFileSync(join(cwd, 'ballast.yaml'), 'utf8')
    expect(written).toMatch(/^# yaml-language-server: \$schema=\.\/ballast\.schema\.json\n/)
    expect(JSON.parse(readFileSync(join(cwd, 'ballast.schema.json'), 'utf8'))).toMatchObject({
      title: 'ballast.yaml',
    })

    const check = await callCli(['config', 'check', '--json'], { cwd })
    const { error } = JSON.parse(check.stdout)
    expect(check.code).toBe(2)
    expect(
      [error.message, ...Object.values(error.facts)].filter((it) => /yaml/.test(String(it))),
    ).toHaveLength(written.match(/"FILL IN"/g)?.length ?? 0)

    write('ballast.yaml', 'mine')
    const again = await callCli(['config', 'init', '--json'], { cwd })
    expect(again.code).toBe(2)
    expect(JSON.parse(again.stdout)).toMatchObject({ error: { code: 'FILE_EXISTS' } })
    expect(readFileSync(join(cwd, 'ballast.yaml'), 'utf8')).toBe('mine')
  })
})

test('a reader that goes away is no failure', () => {
  const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
  const { status, stderr, stdout } = spawnSync(
    'bash',
    ['-c', `set -o pipefail; "${process.execPath}" "${main}" config schema | head -c 1`],
    { cwd, encoding: 'utf8' },
  )
  expect({ status, stderr, stdout }).toEqual({ status: 0, stderr: '', stdout: '{' })
})

test('run: a node that is away is waited for with one line, then the bot ends with 75', async () => {
  write('ballast.yaml', goodYaml)
  let tries = 0
  const clock = {
    now: () => Date.now(),
    sleep: async () => {
      tries += 1
    },
  }
  const environment = { RPC_URL: nobody }
  const { code, stdout, stderr } = await callCli(['run', '--paper'], { cwd, environment, clock })
  expect({ code, tries, stderr }).toEqual({
    code: 75,
    tries: 6,
    stderr: expect.stringContaining('(UNREACHABLE)'),
  })
  expect(stdout.match(/^WAITING .*$/gm)).toHaveLength(1)
})
