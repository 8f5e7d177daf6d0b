import { type ParamText, paramTexts } from '../src/bot/strategy/paramsSchema.ts'
import { shippedStrategies } from '../src/bot/strategy/shippedStrategies.ts'
import { markdownTable } from './markdownTable.ts'

/** The reference of every strategy that ships, from the fields that read its parameters. */
export function strategiesPage(): string {
  const sections = shippedStrategies().map(({ use, strategy }) => {
    const params = paramTexts(strategy)
    return [`## ${use}`, ...modeTables(params), keyTable(params)].join('\n\n')
  })
  return `# Keys of the strategies

Every key under \`params:\` of every strategy that ships, with its default. This page is generated: \`npm run docs\` writes it from
\`strategies\`. What each does, with examples: docs/STRATEGIES.md.

${sections.join('\n\n')}
`
}

const keyTable = (params: readonly ParamText[]): string =>
  markdownTable([
    ['key', 'default', 'meaning'],
    ...params.map(({ key, isRequired, fallback, about }) => {
      const required = modesText('Required', about?.needs)
      const allowed = modesText('Allowed', about?.takes)
      return [
        `\`${key}\``,
        isRequired ? 'required' : (fallback ?? 'none'),
        `${about?.doc ?? ''}${required}${allowed}`,
      ]
    }),
  ])

const modesText = (word: string, modes: readonly string[] = []): string =>
  modes.length === 0 ? '' : ` ${word} with ${modes.map((mode) => `\`${mode}\``).join(', ')}.`

/** What the keys that depend on the mode of a strategy are in each of its modes; nothing where it has none. */
function modeTables(params: readonly ParamText[]): readonly string[] {
  const mode = params.find(({ about }) => about?.mode === true)
  if (mode === undefined) return []
  const keysOf = (list: 'needs' | 'takes', word: string) =>
    params
      .filter(({ about }) => about?.[list]?.includes(word) === true)
      .map(({ key }) => `\`${key}\``)
      .join(', ')
  const words = mode.schema.enum as readonly string[]
  return [
    markdownTable([
      [`\`${mode.key}\``, 'needs', 'takes'],
      ...words.map((word) => [`\`${word}\``, keysOf('needs', word), keysOf('takes', word)]),
    ]),
  ]
}
