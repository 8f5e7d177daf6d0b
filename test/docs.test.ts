import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { generatedPages } from '../scripts/generatedPages.ts'

describe('generated pages', async () => {
  for (const { file, text } of await generatedPages())
    test(`${file} is what the code says`, () => {
      expect(readFileSync(file, 'utf8') === text, `${file} is out of date: run npm run docs`).toBe(
        true,
      )
    })
})

const pages = globSync(['*.md', 'docs/**/*.md'])

/** Paths of the repository, in sentences and in code. */
const named =
  /(?<![\w./-])(?:src|test|scripts|strategies|contracts|bench|docs)\/(?:[\w.-]+\/)*[\w-]+(?:\.[\w-]+)*/g

const missingPaths = (text: string) =>
  [...new Set(text.match(named))].filter((path) => !existsSync(path))

/** Targets of links within the repository, from the folder of the page. */
const missingLinks = (text: string, folder: string) =>
  [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
    .map(([, target = '']) => join(folder, target))
    .filter((path) => !existsSync(path))

describe('documents', () => {
  test.each(pages)('%s names files that exist', (page) => {
    const text = readFileSync(page, 'utf8')
    expect({ paths: missingPaths(text), links: missingLinks(text, dirname(page)) }).toEqual({
      paths: [],
      links: [],
    })
  })

  test('a file that is gone is noticed', () => {
    expect(
      missingPaths('open `src/gone/away.ts`, then src/main.ts and https://a.b/src/x.ts'),
    ).toEqual(['src/gone/away.ts'])
    expect(missingLinks('[a](gone.md) [b](STYLE.md#names) [c](https://a.b)', 'docs')).toEqual([
      'docs/gone.md',
    ])
  })

  test('each decision is one line of docs/DECISIONS.md', () => {
    const records = globSync('docs/decisions/*.md').map((path) => path.replace('docs/', ''))
    const text = readFileSync('docs/DECISIONS.md', 'utf8')
    expect([...text.matchAll(/\]\((decisions\/[^)]+)\)/g)].map(([, path]) => path).sort()).toEqual(
      records.sort(),
    )
    for (const path of records)
      expect(readFileSync(`docs/${path}`, 'utf8').match(/^\*\*\w+\.\*\*/gm), path).toEqual(
        ['Problem', 'Decision', 'Consequences', 'Rejected'].map((part) => `**${part}.**`),
      )
  })

  test('the terms of the glossary are in order, each with a file', () => {
    const rows = readFileSync('docs/GLOSSARY.md', 'utf8').match(/^\| \*\*.*$/gm) ?? []
    const terms = rows.map((row) => row.split('**')[1] ?? '')
    expect(terms.length).toBeGreaterThan(60)
    expect(terms).toEqual([...new Set(terms)].sort())
    for (const row of rows) expect(row).toMatch(/\| `[\w./-]+`(?:, `[\w./-]+`)* \|$/)
  })
})

/** A newcomer opens at most that number of files. */
const stopsMax: Readonly<Record<string, number>> = {
  'From the intent to the report': 30,
  'From the quote to the broadcast': 25,
  'A firm quote through the service': 18,
  'A configuration key (`policy.maxGasCost`)': 4,
}

describe('journeys of docs/JOURNEYS.md', () => {
  test.each(Object.entries(stopsMax))('%s: at most %d files', (title, max) => {
    const text = readFileSync('docs/JOURNEYS.md', 'utf8')
    const section = text.split(`\n## ${title}\n`)[1]?.split(/\n##/)[0] ?? ''
    const stops = [...section.matchAll(/^\d+\. `([^`]+)`: /gm)].map(([, path]) => path)
    expect(stops.length).toBeGreaterThan(2)
    expect(stops.length).toBeLessThanOrEqual(max)
    expect(new Set(stops).size).toBe(stops.length)
  })
})
