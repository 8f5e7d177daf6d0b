import { existsSync, globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { generatedPages } from '../../scripts/generatedPages.ts'
import { finalStates, openStates } from '../../src/bot/state.ts'

const read = (path: string) => readFileSync(path, 'utf8')
const pages = globSync('docs/**/*.md')

/** What a reader looks things up in, and does not read from top to bottom. */
const references = [
  ...(await generatedPages()).map(({ file }) => file),
  // A line for each term.
  'docs/GLOSSARY.md',
]
const wordsMax = 1_500

/** Sentences and tables; blocks of code are not read, they are run. */
const proseOf = (text: string) => text.replaceAll(/^```.*?^```$/gms, '').trim()
const wordsOf = (text: string) => proseOf(text).split(/\s+/).length

/** What is wrong with the length of a page. */
function tooLong(path: string, text: string): readonly string[] {
  const words = wordsOf(text)
  if (words <= wordsMax) return []
  return [
    `${path} has ${words} words, at most ${wordsMax} — move a subject to a page of its own, link it, and give it a place in docs/.vitepress/navigation.ts.`,
  ]
}

/** A figure that a run measured: it is another one on the next machine, and nothing holds it to the code. */
const figure =
  /\d[\d,.]* (?:\w+ )?(?:a|per) second\b|(?:shared|busy) (?:cores|machine)|\d[\d,]* (?:tests|seeds|mutants)\b|\b(?:took|takes) \d[\d.]* (?:ms|s|seconds)\b|\b\d[\d,]* of \d[\d,]*\b|^\| [^|\n]+\| \d[\d,]* \|$/gm

describe('pages', () => {
  test('do not copy figures that a script measures', () => {
    const found = [...pages, 'README.md']
      .filter((path) => !references.includes(path))
      .flatMap((path) =>
        (
          proseOf(read(path))
            .replaceAll(/`[^`]+`/g, '')
            .match(figure) ?? []
        ).map((text) => `${path}: ${text}`),
      )
    expect(found, 'name the script that prints it: npm run bench').toEqual([])
    const measured = [
      'It does 13,000 decisions a second, and takes 40 ms.',
      '| swaps | 83 |',
      '3 of 4',
    ]
    expect(measured.join('\n').match(figure)).toHaveLength(4)
  })

  test('each but the references is short enough to be read', () => {
    const toRead = pages.filter((path) => !references.includes(path))
    expect(toRead.flatMap((path) => tooLong(path, read(path)))).toEqual([])
    expect(tooLong('docs/LONG.md', 'word '.repeat(1_501))).toHaveLength(1)
    expect(tooLong('docs/CODE.md', `word\n\`\`\`sh\n${'code '.repeat(2_000)}\n\`\`\``)).toEqual([])
  })

  test('README.md is shorter', () => {
    expect(wordsOf(read('README.md'))).toBeLessThanOrEqual(900)
  })

  test('what looks at the old wallet comes before another one is configured', () => {
    const [, steps = ''] = read('docs/RUNBOOKS.md').split('## Somebody else may have the key')
    const at = ['ballast recover', 'ballast revoke --live', 'configure it'].map((step) =>
      steps.indexOf(step),
    )
    expect(at).toEqual(at.toSorted((a, b) => a - b))
    expect(at).not.toContain(-1)
  })

  test('each runbook says by what it is recognised, and names the tests that walk it', () => {
    const [, ...runbooks] = read('docs/RUNBOOKS.md').split(/^## /m)
    expect(runbooks.length).toBeGreaterThan(10)
    for (const runbook of runbooks) {
      const [, sentence = ''] = /^Exercised by ([\s\S]+)/m.exec(runbook) ?? []
      const tests = sentence.match(/test\/[\w/]+\.test\.ts/g) ?? []
      expect([runbook, tests.length > 0, tests.every((path) => existsSync(path))]).toEqual([
        ...[runbook, true, true],
      ])
      expect(runbook).toMatch(/^Sign: /m)
    }
  })

  test('the diagram of the life of a swap, and its text, have every state', () => {
    const diagram = read('docs/diagrams/life-of-a-swap.svg')
    const text = /!\[(.*)\]\(diagrams\/life/.exec(read('docs/CONCEPTS.md'))?.[1] ?? ''
    for (const state of [...openStates, ...finalStates])
      for (const place of [diagram, text]) expect(place).toMatch(new RegExp(`\\b${state}\\b`))
    const drawn = diagram.match(/\b[A-Z]{4,}(?:_[A-Z]+)*\b/g) ?? []
    expect(new Set(drawn).size).toBe(openStates.length + finalStates.length)
  })
})
