import { readFileSync } from 'node:fs'
import { type ParamText, paramTexts } from '../src/bot/strategy/paramsSchema.ts'
import { shippedStrategies } from '../src/bot/strategy/shippedStrategies.ts'

/** The page of strategies: its prose is written by hand, and the tables between the marks are of the fields. */
export function strategiesPage(file: string): string {
  const shipped = shippedStrategies()
  const written = readFileSync(file, 'utf8')
  const mark = /(<!-- ([\w-]+): (keys|modes), by npm run docs -->\n)[\s\S]*?(<!-- end -->)/g
  const marked = [...written.matchAll(mark)].map(([, , use]) => use)
  const absent = shipped.find(({ use }) => !marked.includes(use))
  if (absent !== undefined) throw new Error(`${file} has no table of ${absent.use}.`)
  return written.replace(mark, (_all, begin: string, use: string, kind: string, end: string) => {
    const found = shipped.find((one) => one.use === use)
    if (found === undefined) throw new Error(`${file} has a table of ${use}, which is not there.`)
    const params = paramTexts(found.strategy)
    return `${begin}\n${kind === 'keys' ? keyTable(params) : modeTable(params)}\n\n${end}`
  })
}

const keyTable = (params: readonly ParamText[]): string =>
  table([
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

/** What the keys that depend on the mode of a strategy are in each of its modes. */
function modeTable(params: readonly ParamText[]): string {
  const mode = params.find(({ about }) => about?.mode === true)
  if (mode === undefined) throw new Error('The strategy has no modes.')
  const keysOf = (list: 'needs' | 'takes', word: string) =>
    params
      .filter(({ about }) => about?.[list]?.includes(word) === true)
      .map(({ key }) => `\`${key}\``)
      .join(', ')
  const words = mode.schema.enum as readonly string[]
  return table([
    [`\`${mode.key}\``, 'needs', 'takes'],
    ...words.map((word) => [`\`${word}\``, keysOf('needs', word), keysOf('takes', word)]),
  ])
}

function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')
}
