import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { heedsSeed, type Night, type NightlyWork, nightlyWorks } from './nightlyWorks.ts'

const head = `# Figures of the long runs

<!-- Written by \`npm run docs\` from docs/nightly.json, which \`npm run nightly\` writes: change neither by hand. -->

\`npm run nightly\` runs everything that takes too long for a change, with a fresh seed each time; \`-- --seed N\` runs the same
again where the line names a seed (the others draw their own, and print it where they fail), \`-- --only NAME\` one of them,
\`-- --short\` half or less of those that can be cut, and all of the others. Each line is the last run of its work.
`

/** The page of figures: what each work found last, and at which commit. */
export function nightlyPage(): string {
  const text = readFileSync(join(import.meta.dirname, '../docs/nightly.json'), 'utf8')
  const nights = JSON.parse(text) as Readonly<Record<string, Night>>
  const rows = nightlyWorks.map((work) => {
    const { name, what } = work
    const night = nights[name]
    return night === undefined
      ? `| ${name} | ${what} | not run yet | |`
      : `| ${name} | ${what} | ${figuresOf(night)} | ${runOf(work, night)} |`
  })
  return `${head}\n${['| work | what it does | found | run |', '|---|---|---|---|', ...rows].join('\n')}\n`
}

const figuresOf = ({ figures, passed }: Night) =>
  [
    ...(passed ? [] : ['**FAILED**']),
    ...Object.entries(figures).map(([name, count]) => `${name} ${count.toLocaleString('en')}`),
  ].join(', ')

const runOf = (work: NightlyWork, { on, commit, seed, isShort }: Night) =>
  [
    on,
    `\`${commit}\``,
    ...(heedsSeed(work) ? [`seed ${seed}`] : []),
    ...(isShort ? ['short'] : []),
  ].join(', ')
