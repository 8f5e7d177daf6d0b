/**
 * Changes one place of the code at a time, and says which changes no test notices:
 *
 *   npm run test:sample -- --seed 20261122 [--count 200] [--only 3,17] [--changed main] [--json FILE]
 *
 * The seed picks the places, the same ones at the same commit. `--only` tries some of them again, by their numbers;
 * `--changed` takes those on lines that differ from a commit. The last commit is mutated, in a copy of its own; the working
 * tree is left alone. A mutant is tried by the types and by the test files that import its file, the nearest first. One that
 * cannot be noticed stands in test/support/equivalentMutants.ts with the reason.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Node, SyntaxKind } from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/sync'
import { equivalentMutants } from '../test/support/equivalentMutants.ts'
import { openTests } from './openTests.ts'

/** One place, and what stands there instead. */
type Mutant = {
  readonly file: string
  readonly line: number
  readonly start: number
  readonly end: number
  readonly text: string
}

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
    const number = Number(text.replace(/n$|_/g, ''))
    if (!Number.isSafeInteger(number)) return isBig ? [`(${text} + 1n)`] : [`(2 * ${text})`]
    const value = BigInt(number)
    return [value + 1n, value - 1n].map((it) => (isBig ? `${it}n` : `${it}`))
  }
  if (node.kind === SyntaxKind.PrefixUnaryExpression && text.startsWith('!')) return [text.slice(1)]
  return removed.has(node.kind) ? [';'] : []
}

/** Every mutant of the files, in their order. */
function mutantsOf(folder: string, wanted: readonly string[]): readonly Mutant[] {
  const api = new API({ cwd: folder })
  try {
    const snapshot = api.updateSnapshot({ openProjects: [join(folder, 'tsconfig.json')] })
    const program = snapshot.getProjects()[0]?.program
    return wanted.flatMap((file) => {
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

/** What became of a mutant. */
type Fate = {
  readonly number: number
  readonly at: string
  readonly killer: string | undefined
  readonly reason: string | undefined
}

async function tryAll(
  sample: readonly (readonly [number, Mutant])[],
  folder: string,
): Promise<readonly Fate[]> {
  await using tests = await openTests(folder)
  const fates: Fate[] = []
  for (const [number, mutant] of sample) {
    const { start, end, text, file, line } = mutant
    const source = readFileSync(join(folder, file), 'utf8')
    const mutated = source.slice(0, start) + text + source.slice(end)
    const killer = await tests.killerOf(file, mutated).catch((error: Error) => {
      // One of hundreds: the others are still worth their hours.
      console.log(error.message)
      return undefined
    })
    const reason = killer === undefined ? reasonFor(mutant, source) : undefined
    const alive = reason === undefined ? 'SURVIVED' : `equivalent: ${reason}`
    const verdict = killer === undefined ? alive : `killed by ${killer}`
    console.log(`${number}. ${file}:${line}: ${verdict}\n${diffOf(mutant, source)}`)
    fates.push({ number, at: `${file}:${line}`, killer, reason })
  }
  return fates
}

/** The lines that differ from a commit, by file. */
function changedSince(folder: string, commit: string): ReadonlyMap<string, ReadonlySet<number>> {
  const lines = new Map<string, Set<number>>()
  let file = ''
  for (const line of run(folder, 'git', 'diff', '-U0', `${commit}...HEAD`, '--', 'src').split(
    '\n',
  )) {
    file = /^\+\+\+ b\/(.*)/.exec(line)?.[1] ?? file
    const [, from, count = '1'] = /^@@ \S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? []
    if (from === undefined) continue
    const changed = lines.get(file) ?? new Set()
    lines.set(file, changed)
    for (let at = 0; at < Number(count); at += 1) changed.add(Number(from) + at)
  }
  return lines
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: `${Math.floor(Math.random() * 2 ** 31)}` },
      count: { type: 'string', default: '200' },
      only: { type: 'string' },
      changed: { type: 'string' },
      json: { type: 'string' },
    },
  })
  const [seed, count] = [Number(values.seed), Number(values.count)]
  const folder = join(mkdtempSync(join(tmpdir(), 'ballast-sample-')), 'tree')
  // Tests take the place of other accounts, which must be able to read it.
  chmodSync(dirname(folder), 0o755)
  run(root, 'git', 'worktree', 'add', '--detach', folder, 'HEAD')
  try {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    const changed = values.changed === undefined ? undefined : changedSince(folder, values.changed)
    const files = globSync('src/**/*.ts', { cwd: folder }).filter(
      (file) => changed?.has(file) ?? true,
    )
    const all = mutantsOf(folder, files.toSorted()).filter(
      ({ file, line }) => changed?.get(file)?.has(line) ?? true,
    )
    const numbers = values.only?.split(',').map(Number)
    const sample = sampleOf(all, { seed, count })
      .map((mutant, index) => [index + 1, mutant] as const)
      .filter(([number]) => numbers?.includes(number) ?? true)
    const commit = run(root, 'git', 'rev-parse', 'HEAD').trim()
    console.log(`seed ${seed}: ${sample.length} of ${all.length} mutants of ${commit}`)
    // Tests read files of the repository by their paths from its root.
    process.chdir(folder)
    const fates = await tryAll(sample, folder)
    process.chdir(root)
    const survivors = fates.filter(
      ({ killer, reason }) => killer === undefined && reason === undefined,
    )
    const equivalent = fates.filter(({ reason }) => reason !== undefined).length
    const killed = fates.length - equivalent - survivors.length
    console.log(
      `${fates.length} mutants: ${killed} killed, ${equivalent} equivalent, ${survivors.length} survived.`,
    )
    if (values.json !== undefined) {
      const figures = { seed, commit, mutants: fates.length, killed, equivalent }
      const text = { ...figures, survivors: survivors.map(({ at }) => at) }
      writeFileSync(values.json, `${JSON.stringify(text, undefined, 2)}\n`)
    }
    process.exitCode = survivors.length === 0 ? 0 : 1
  } finally {
    run(root, 'git', 'worktree', 'remove', '--force', folder)
    rmSync(dirname(folder), { recursive: true, force: true })
  }
}

await main()
