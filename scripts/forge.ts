/**
 * Runs forge on the contracts.
 *
 *   node scripts/forge.ts test [arguments of forge test]
 *   node scripts/forge.ts gas                            writes contracts/snapshots anew
 *   node scripts/forge.ts mutants [part of a name …]     every mutant of contracts/test/mutants.ts must be noticed
 */
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Mutant, mutants } from '../contracts/test/mutants.ts'

/** How a forge run ended, with everything it printed. */
export type ForgeResult = { ok: boolean; output: string }

/** What became of a mutant: the test that noticed it, or why it counts as alive. */
export type Verdict = { mutant: Mutant; killedBy: string } | { mutant: Mutant; alive: string }

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const binaries = join(root, 'node_modules/.bin')

const campaign = 'InvariantTest'

/** Two, because a run keeps about one core busy; one where there is little to do, because each compiles a copy of its own. */
const workers = 2

/**
 * Runs `forge test` in the project's contracts, or in a copy of them. Every run makes draws of its own, unless the
 * arguments bring a seed; one that fails says how to repeat it.
 */
export async function forgeTest(
  args: readonly string[] = [],
  folder: string = join(root, 'contracts'),
): Promise<ForgeResult> {
  const seeded = args.some((argument) => argument.startsWith('--fuzz-seed'))
    ? args
    : [...args, '--fuzz-seed', String(randomInt(2 ** 32))]
  const { ok, output } = await runForge(seeded, folder)
  return ok ? { ok, output } : { ok, output: `${output}\nTo repeat it: ${repeated(seeded)}\n` }
}

/** The number of draws is part of what is repeated. */
function repeated(args: readonly string[]): string {
  const draws = ['FOUNDRY_FUZZ_RUNS', 'FOUNDRY_INVARIANT_RUNS'].flatMap((name) =>
    process.env[name] === undefined ? [] : [`${name}=${process.env[name]}`],
  )
  return [...draws, 'npm run contracts:test --', ...args.map(quoted)].join(' ')
}

const quoted = (text: string) => (/^[\w./-]+$/.test(text) ? text : `'${text}'`)

function runForge(args: readonly string[], folder: string): Promise<ForgeResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(findForge(), ['test', ...args], {
      cwd: folder,
      env: {
        ...process.env,
        // The shim's `node` is the pinned one.
        PATH: `${binaries}:${process.env.PATH}`,
        FOUNDRY_SOLC: join(root, 'scripts/solc-shim.cjs'),
        FOUNDRY_DISABLE_NIGHTLY_WARNING: '1',
        NO_COLOR: '1',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    child.on('error', reject)
    child.on('close', (code) => resolve({ ok: code === 0, output }))
  })
}

/** The binary itself: the launcher of the npm package exits with 0 whatever forge said. */
function findForge(): string {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  const launcher = createRequire(import.meta.url).resolve('@foundry-rs/forge/package.json')
  const name = process.platform === 'win32' ? 'forge.exe' : 'forge'
  return createRequire(launcher).resolve(
    `@foundry-rs/forge-${process.platform}-${architecture}/bin/${name}`,
  )
}

/** The snapshots of gas would notice every mutant, and hide which guard no test misses. */
const mutantTest = ['--fail-fast', '--gas-snapshot-check', 'false'] as const

/** The tests that must notice a mutant, as arguments of forge, in the order they run. The campaign takes longest, and when it fails it looks long for a short example. */
const everyTest = [
  ['--no-match-contract', campaign],
  ['--match-contract', campaign],
] as const

/** Tries the mutants on copies of the contracts. `report` hears of each as soon as it is decided. */
export async function tryMutants(
  rows: readonly Mutant[],
  {
    tests = everyTest,
    report = () => {},
  }: {
    tests?: readonly (readonly string[])[]
    report?: (verdict: Verdict) => void
  } = {},
): Promise<Verdict[]> {
  const queue = [...rows]
  const verdicts: Verdict[] = []
  const work = async () => {
    const folder = copyContracts()
    try {
      // The first run fills the cache; after that only what a mutant touches is compiled.
      const [first = []] = tests
      const clean = await forgeTest([...mutantTest, '--match-test', '^test_', ...first], folder)
      if (!clean.ok) throw new Error(`The contracts fail before any mutation.\n${clean.output}`)
      for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
        const verdict = await tryMutant(mutant, { folder, tests })
        verdicts.push(verdict)
        report(verdict)
      }
    } finally {
      rmSync(dirname(folder), { recursive: true, force: true })
    }
  }
  await Promise.all(Array.from({ length: Math.min(workers, Math.ceil(rows.length / 2)) }, work))
  return verdicts
}

async function tryMutant(
  mutant: Mutant,
  { folder, tests }: { folder: string; tests: readonly (readonly string[])[] },
): Promise<Verdict> {
  const file = join(folder, 'src', mutant.file)
  const source = readFileSync(file, 'utf8')
  if (source.split(mutant.find).length !== 2) {
    return { mutant, alive: `its text does not occur exactly once in ${mutant.file}` }
  }
  try {
    // A function, so that no `$` of a replacement is special.
    writeFileSync(
      file,
      source.replace(mutant.find, () => mutant.replace),
    )
    for (const chosen of tests) {
      const { ok, output } = await forgeTest([...mutantTest, ...chosen], folder)
      if (ok) continue
      // A mutant that does not compile proves nothing.
      if (!output.includes('[FAIL')) return { mutant, alive: `forge failed:\n${output}` }
      return { mutant, killedBy: /\[FAIL[^\n]*\] (\w+)\(/.exec(output)?.[1] ?? campaign }
    }
    return { mutant, alive: 'every test passed' }
  } finally {
    writeFileSync(file, source)
  }
}

/** The layout of the project as far as the tests need it: the contracts beside the artifacts of others. */
function copyContracts(): string {
  const copy = mkdtempSync(join(tmpdir(), 'ballast-mutants-'))
  const parts = [
    'contracts/src',
    'contracts/test',
    'contracts/foundry.toml',
    'contracts/artifacts/Permit2.json',
    'node_modules/@uniswap/v2-core/build/UniswapV2Factory.json',
    'node_modules/@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json',
  ]
  // What an earlier run has compiled is not compiled again.
  const compiled = ['contracts/cache', 'contracts/out'].filter((part) =>
    existsSync(join(root, part)),
  )
  for (const part of [...parts, ...compiled])
    cpSync(join(root, part), join(copy, part), { recursive: true })
  return join(copy, 'contracts')
}

async function runTests(args: readonly string[]): Promise<boolean> {
  const run = await forgeTest(args)
  process.stdout.write(run.output)
  return run.ok
}

/** All of them, because forge writes the file of what it ran. What is drawn at random has no gas of its own. */
function runGas(): Promise<boolean> {
  const plain = ['--match-test', '^test_', '--no-match-contract', campaign]
  return runTests([...plain, '--gas-snapshot-check', 'false', '--gas-snapshot-emit', 'true'])
}

async function runMutants(names: readonly string[]): Promise<boolean> {
  const rows = mutants.filter(
    (mutant) => names.length === 0 || names.some((name) => mutant.name.includes(name)),
  )
  const report = (verdict: Verdict) => {
    const { name, file } = verdict.mutant
    const end = 'killedBy' in verdict ? `killed by ${verdict.killedBy}` : `ALIVE: ${verdict.alive}`
    console.log(`${file}: ${name}: ${end}`)
  }
  const verdicts = await tryMutants(rows, { report })
  const killed = verdicts.filter((verdict) => 'killedBy' in verdict).length
  console.log(`${killed} of ${rows.length} mutants killed.`)
  return rows.length > 0 && killed === rows.length
}

if (import.meta.main) {
  const [command, ...args] = process.argv.slice(2)
  const commands: Record<string, (args: readonly string[]) => Promise<boolean>> = {
    test: runTests,
    gas: runGas,
    mutants: runMutants,
  }
  const run = commands[command ?? '']
  if (run === undefined) console.error('Usage: node scripts/forge.ts test|gas|mutants [arguments]')
  const ok = run !== undefined && (await run(args))
  if (!ok) process.exitCode = run === undefined ? 2 : 1
}
