import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { interfaceVersion } from '../src/bot/strategy/interfaceVersion.ts'
import { type Fork, forkOrigin } from './support/forkOrigin.ts'
import { startBallast } from './support/runBallast.ts'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/OWN-STRATEGY.md'), 'utf8')
/** What a reader types, writes or edits, in the order of the page; a block without a language is what he sees. */
const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
  ([, kind = '', lines = '']) => ({ kind, lines }),
)

/** A folder with a configuration whose strategies stand last, and a machine with Node and the release of this run. */
const home = mkdtempSync(join(tmpdir(), 'own-strategy-'))
const bin = join(home, 'bin')
const cwd = join(home, 'treasury')
const configuration = join(cwd, 'ballast.yaml')
let fork: Fork

beforeAll(async () => {
  fork = await forkOrigin()
  mkdirSync(bin)
  mkdirSync(cwd)
  symlinkSync(process.execPath, join(bin, 'node'))
  const program = process.env.BALLAST_RELEASE ?? ''
  writeFileSync(join(bin, 'ballast'), `#!/bin/sh\nexec node "${program}" "$@"\n`, { mode: 0o755 })
  writeFileSync(configuration, readFileSync(fork.ready.config, 'utf8'))
})
afterAll(() => fork.close())

/** What a block says when it has done all of its lines; each must end well. The market answers from this process. */
async function type(lines: string): Promise<string> {
  const shell = spawn('sh', ['-e', '-c', lines], {
    cwd,
    env: { PATH: [bin, '/usr/bin', '/bin'].join(delimiter), HOME: home, COLUMNS: '1000' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [said, wrong] = [text(shell.stdout), text(shell.stderr)]
  const [code] = await once(shell, 'close')
  const [stdout, stderr] = await Promise.all([said, wrong])
  // The recorder says beside its result that it has begun.
  const errors = stderr.replace(/^Recording .*\n/, '')
  expect({ code, errors }, `${lines}\n${stdout}`).toEqual({ code: 0, errors: '' })
  return stdout
}

/** The one command that goes on until it is interrupted. */
async function runUntilSettled(): Promise<string> {
  const bot = startBallast(['run', '--paper', '--port', '0'], { cwd })
  await bot.says(/^SETTLED buy-the-dip: sold 500 USDC for /m)
  bot.child.kill('SIGINT')
  return (await bot.ended).stdout
}

function write(lines: string): void {
  const file = /^\/\/ (\S+)\n/.exec(lines)?.[1] ?? ''
  expect(readFileSync(join(cwd, file), 'utf8'), `${file} is of the template`).not.toBe('')
  writeFileSync(join(cwd, file), lines)
}

function configure(lines: string): void {
  const before = readFileSync(configuration, 'utf8')
  writeFileSync(configuration, before.replace(/strategies:\n(?: {2}.*\n)+/, lines))
  expect(readFileSync(configuration, 'utf8')).toContain('use: ./buy-the-dip/strategy.ts')
}

/** The compiler of an editor, with every declaration of the package looked at as well. */
function typeErrors(): string {
  const folder = join(cwd, 'buy-the-dip')
  writeFileSync(
    join(folder, 'tsconfig.strict.json'),
    JSON.stringify({
      extends: './tsconfig.json',
      compilerOptions: {
        ...{ skipLibCheck: false, types: ['node'] },
        typeRoots: [join(root, 'node_modules/@types')],
      },
      files: ['strategy.ts', 'strategy.test.ts'],
    }),
  )
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.strict.json'], {
    cwd: folder,
    encoding: 'utf8',
  })
  return stdout
}

test('docs/OWN-STRATEGY.md leads from an empty folder to paper trading', async () => {
  const said: string[] = []
  for (const { kind, lines } of blocks)
    if (kind === 'ts') write(lines)
    else if (kind === 'yaml') configure(lines)
    else if (lines === 'ballast run --paper\n') said.push(await runUntilSettled())
    else said.push(await type(lines))
  const [began, tested, checked, replayed, ran, told] = said
  expect(said).toHaveLength(6)
  expect(began).toContain('pass 3')
  expect(tested).toContain('pass 2')
  expect(checked).toContain('WOULD-SWAP  buy-the-dip')
  expect(replayed).toMatch(/buy-the-dip: called [1-9]\d* times[\s\S]*buy-the-dip\.dip/)
  expect(ran).toMatch(/ (\d+)\/\1 checks /)
  expect(told).toContain('The market asks 301')
  expect(told).toContain('the same context decides the same today')

  expect(typeErrors()).toBe('')
  const file = join(cwd, 'buy-the-dip/strategy.ts')
  writeFileSync(file, readFileSync(file, 'utf8').replace('params.limit', 'params.limits'))
  expect(typeErrors()).toContain("Property 'limits' does not exist on type")
})

test('docs/OWN-STRATEGY.md is short, and of the version that there is', () => {
  expect(page.split(/\s+/).length).toBeLessThanOrEqual(1_500)
  expect(page).toContain(`writtenFor: '${interfaceVersion}'`)
  expect(new Set(blocks.map(({ kind }) => kind))).toEqual(new Set(['sh', 'ts', 'yaml']))
})
