import { stringify } from 'yaml'
import { type JsonSchema, type ParamText, paramTexts } from '../bot/strategy/paramsSchema.ts'
import type { NamedStrategy } from '../bot/strategy/shippedStrategies.ts'

/** Where the comments of a template begin; a longer line has its comment above. */
const commentColumn = 34

/**
 * An entry of `strategies:` that can be run as it stands, with the keys that its strategy has examples of. Optional keys
 * are commented out: without its # a line stands where it belongs.
 */
export function strategyEntry({ use, strategy }: NamedStrategy, name: string): string {
  const written = paramTexts(strategy).filter(isWritten)
  return [
    ...line(`  - name: ${name}`, 'Yours: the journal and the reports know it by this.'),
    ...line(`    use: ${use}`, strategy.summary),
    ...line('#    priority: 0', 'Higher goes first, and does not see what lower ones reserve.'),
    '    params:',
    ...written.filter(isInForce).flatMap((param) => keyLine(param, ' '.repeat(6))),
    ...written.filter((param) => !isInForce(param)).flatMap((param) => keyLine(param, '#      ')),
  ].join('\n')
}

const isInForce = ({ isRequired, about }: ParamText) => isRequired || about?.suggested === true

/** A documented key without an example is for those who read the documentation. */
const isWritten = (param: ParamText) =>
  isInForce(param) || param.about === undefined || param.about.example !== undefined

function keyLine({ key, about, schema }: ParamText, lead: string): readonly string[] {
  const [sentence] = /^.*?[.!?](?= |$)/.exec(about?.doc ?? schema.description ?? '') ?? []
  return line(`${lead}${key}: ${exampleOf(schema)}`, sentence)
}

function exampleOf(schema: JsonSchema): string {
  const [example] = schema.examples ?? []
  const inside = Object.entries(schema.properties ?? {}).map(([key, part]) => [
    key,
    part.examples?.[0],
  ])
  const value = example ?? (inside.length === 0 ? 'FILL IN' : Object.fromEntries(inside))
  return typeof value === 'object'
    ? stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim()
    : plain(String(value))
}

/** Quotes where YAML would read something else: numbers stay numbers, since the bot reads both. */
function plain(text: string): string {
  return /^[\d.]+$/.test(text) ? text : stringify(text, { lineWidth: 0 }).trim()
}

function line(text: string, comment = ''): readonly string[] {
  if (comment === '') return [text]
  if (text.length + 2 > commentColumn) return [`      # ${comment}`, text]
  return [`${text.padEnd(commentColumn)}# ${comment}`]
}
