/**
 * Changes one place of the code at a time, and says which changes no test notices:
 *
 *   npm run test:sample -- --seed 20261122 [--count 100] [--only 3,17]
 *
 * The seed picks the places, the same ones at the same commit. `--only` tries some of them again, by their numbers. The
 * last commit is mutated, in a copy of its own; the working tree is left alone. A mutant that cannot be noticed stands in
 * test/support/equivalentMutants.ts with the reason.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Node, SyntaxKind } from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/sync'
import { equivalentMutants } from '../test/support/equivalentMutants.ts'

/** One place, and what stands there instead. */
type Mutant = {
  readonly file: string
  readonly line: number
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The code that is sampled, with the tests that may notice: the first ones first. */
const rooms: readonly { readonly source: string; readonly tests: readonly string[] }[] = [
  {
    source: 'src/bot/policy',
    tests: ['test/bot/policy/', 'test/bot/drive.test.ts', 'test/bot/outbid.test.ts'],
  },
  { source: 'src/bot/simulate', tests: ['test/bot/simulate/', 'test/bot/paper/journal.test.ts'] },
  {
    source: 'src/bot/sign',
    tests: ['test/bot/sign/', 'test/config/signer/', 'test/cli/signer.test.ts'],
  },
  { source: 'src/bot/reconcile', tests: ['test/bot/reconcile/', 'test/cli/reconcile'] },
  {
    source: 'src/service/inventory',
    tests: [
      ...['test/service/inventory/', 'test/service/makers/', 'test/service/callers.test.ts'],
      'test/service/quotes.test.ts',
    ],
  },
]

const swapped = new Map<SyntaxKind, string>([
  [SyntaxKind.LessThanToken, '<='],
  [SyntaxKind.LessThanEqualsToken, '<'],
  [SyntaxKind.GreaterThanToken, '>='],
  [SyntaxKind.GreaterThanEqualsToken, '>'],
  [SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [SyntaxKind.AmpersandAmpersandToken, '||'],
  [SyntaxKind.BarBarToken, '&&'],
  [SyntaxKind.TrueKeyword, 'false'],
  [SyntaxKind.FalseKeyword, 'true'],
])

const removed = new Set([
  SyntaxKind.IfStatement,
  SyntaxKind.ThrowStatement,
  SyntaxKind.ReturnStatement,
  SyntaxKind.ExpressionStatement,
])

const root = join(import.meta.dirname, '..')
const run = (folder: string, command: string, ...args: readonly string[]) =>
  execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

/** What may be put in place of a node. Types are no code. */
function replacementsOf(node: Node, text: string): readonly string[] {
  const other = swapped.get(node.kind)
  if (other !== undefined) return [other]
  if (node.kind === SyntaxKind.NumericLiteral || node.kind === SyntaxKind.BigIntLiteral) {
    const isBig = text.endsWith('n')
    const value = BigInt(Number(text.replace(/n$|_/g, '')))
    return [value + 1n, value - 1n].map((it) => (isBig ? `${it}n` : `${it}`))
  }
  if (node.kind === SyntaxKind.PrefixUnaryExpression && text.startsWith('!')) return [text.slice(1)]
  return removed.has(node.kind) ? [';'] : []
}

/** Every mutant of the rooms, in the order of their files. */
function mutantsOf(folder: string): readonly Mutant[] {
  const api = new API({ cwd: folder })
  try {
    const snapshot = api.updateSnapshot({ openProjects: [join(folder, 'tsconfig.json')] })
    const program = snapshot.getProjects()[0]?.program
    const files = rooms.flatMap(({ source }) =>
      globSync(`${source}/**/*.ts`, { cwd: folder }).toSorted(),
    )
    return files.flatMap((file) => {
      const source = program?.getSourceFile(join(folder, file))
      if (source === undefined) throw new Error(`${file} is not of the program.`)
      const all = readFileSync(join(folder, file), 'utf8')
      const found: Mutant[] = []
      const visit = (node: Node): void => {
        if (node.kind === SyntaxKind.LiteralType || node.kind === SyntaxKind.ImportDeclaration)
          return
        const [start, end] = [node.getStart(source), node.end]
        const line = all.slice(0, start).split('\n').length
        for (const text of replacementsOf(node, all.slice(start, end)))
          found.push({ file, line, start, end, text })
        node.forEachChild(visit)
      }
      source.forEachChild(visit)
      return found
    })
  } finally {
    api.close()
  }
}

/** As many of them as wanted, picked by the seed (mulberry32), in a random order. */
function sampleOf(all: readonly Mutant[], { seed, count }: { seed: number; count: number }) {
  let state = seed
  const random = (below: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
  const left = [...all]
  return Array.from({ length: Math.min(count, left.length) }, () =>
    left.splice(random(left.length), 1),
  ).flat()
}

/** A mutant that loops for ever is noticed by the run that does not end. */
const runMsMax = 600_000

/** The file that noticed the mutant; undefined where all tests pass. What needs no chain is tried first. */
function killerOf({ file }: Mutant, folder: string): string | undefined {
  const room = rooms.find(({ source }) => file.startsWith(`${source}/`))
  const [own = '', ...more] = room?.tests ?? []
  const tries = [
    ['--project', 'unit*', own],
    ['--project', 'chain*', own],
    ['--project', 'unit*', '--project', 'seeds', '--project', 'chain*', ...more],
  ]
  for (const args of tries) {
    const { status, stdout } = spawnSync(
      join(folder, 'node_modules/.bin/vitest'),
      ['run', '--bail=1', '--passWithNoTests', '--testTimeout=60000', ...args],
      {
        ...{ cwd: folder, encoding: 'utf8', timeout: runMsMax, killSignal: 'SIGKILL' },
        env: { ...process.env, NO_COLOR: '1' },
      },
    )
    if (status !== 0) return / (?:FAIL|❯) .*?(test\/\S+\.ts)/.exec(stdout)?.[1] ?? 'a run that died'
  }
  return undefined
}

/** One line without, one with: what a reader compares. */
function diffOf({ start, end, text }: Mutant, source: string): string {
  const from = source.lastIndexOf('\n', start) + 1
  const to = source.indexOf('\n', end)
  const lines = (sign: string, part: string) => part.split('\n').map((line) => `    ${sign}${line}`)
  const mutated = source.slice(from, start) + text + source.slice(end, to)
  return [...lines('-', source.slice(from, to)), ...lines('+', mutated)].join('\n')
}

const reasonFor = ({ file, start, end, text }: Mutant, source: string) =>
  equivalentMutants.find((one) => {
    const at = source.indexOf(one.from)
    return (
      one.file === file &&
      at <= start &&
      end <= at + one.from.length &&
      one.to === source.slice(at, start) + text + source.slice(end, at + one.from.length)
    )
  })?.reason

function tryAll(sample: readonly (readonly [number, Mutant])[], folder: string): number {
  let survivors = 0
  for (const [number, mutant] of sample) {
    const path = join(folder, mutant.file)
    const source = readFileSync(path, 'utf8')
    const { start, end, text, file, line } = mutant
    writeFileSync(path, source.slice(0, start) + text + source.slice(end))
    const killer = killerOf(mutant, folder)
    writeFileSync(path, source)
    const reason = killer === undefined ? reasonFor(mutant, source) : undefined
    if (killer === undefined && reason === undefined) survivors += 1
    const alive = reason === undefined ? 'SURVIVED' : `equivalent: ${reason}`
    const verdict = killer === undefined ? alive : `killed by ${killer}`
    console.log(`${number}. ${file}:${line}: ${verdict}\n${diffOf(mutant, source)}`)
  }
  return survivors
}

function main(): void {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: `${Math.floor(Math.random() * 2 ** 31)}` },
      count: { type: 'string', default: '100' },
      only: { type: 'string' },
    },
  })
  const [seed, count] = [Number(values.seed), Number(values.count)]
  const folder = join(mkdtempSync(join(tmpdir(), 'ballast-sample-')), 'tree')
  run(root, 'git', 'worktree', 'add', '--detach', folder, 'HEAD')
  try {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    const all = mutantsOf(folder)
    const numbers = values.only?.split(',').map(Number)
    const sample = sampleOf(all, { seed, count })
      .map((mutant, index) => [index + 1, mutant] as const)
      .filter(([number]) => numbers?.includes(number) ?? true)
    console.log(
      `seed ${seed}: ${sample.length} of ${all.length} mutants of ${run(root, 'git', 'rev-parse', 'HEAD')}`,
    )
    const survivors = tryAll(sample, folder)
    console.log(`${sample.length} mutants, ${survivors} survived.`)
    process.exitCode = survivors === 0 ? 0 : 1
  } finally {
    run(root, 'git', 'worktree', 'remove', '--force', folder)
    rmSync(dirname(folder), { recursive: true, force: true })
  }
}

main()
