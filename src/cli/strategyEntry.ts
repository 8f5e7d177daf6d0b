import { stringify } from 'yaml'
import { type JsonSchema, paramsSchema } from '../bot/strategy/paramsSchema.ts'
import type { NamedStrategy } from '../bot/strategy/shippedStrategies.ts'

/** Where the comments of a template begin; a longer line has its comment above. */
const commentColumn = 34

/**
 * An entry of `strategies:` that can be run as it stands, with every key it may have. Optional keys are commented out:
 * without its # a line stands where it belongs.
 */
export function strategyEntry({ use, strategy }: NamedStrategy, name: string): string {
  return [
    ...line(`  - name: ${name}`, 'yours: the journal and the reports know it by this'),
    ...line(`    use: ${use}`, strategy.summary),
    ...line('#    priority: 0', 'higher goes first, and does not see what lower ones keep'),
    '    params:',
    ...(strategy.example === undefined
      ? keysOf(paramsSchema(strategy), 6)
      : strategy.example
          .replace(/^\n+|\s+$/g, '')
          .split('\n')
          .map(indented)),
  ].join('\n')
}

function keysOf(schema: JsonSchema, indent: number): readonly string[] {
  const required = new Set(schema.required)
  const keys = Object.entries(schema.properties ?? {})
  return [
    ...keys.filter(([key]) => required.has(key)),
    ...keys.filter(([key]) => !required.has(key)),
  ].flatMap(([key, part]) => {
    const lead = required.has(key) ? ' '.repeat(indent) : `#${' '.repeat(indent)}`
    return line(`${lead}${key}: ${exampleOf(part)}`, part.description)
  })
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

/** Lines that a strategy wrote for `params:` at their place; what it commented out stays so. */
function indented(text: string): string {
  if (text.trim() === '') return ''
  if (!text.startsWith('#')) return `      ${text}`
  // One more before its own comment, so that it stays in its column.
  return `#      ${text.slice(1).replace(/^ /, '').replace(' #', '  #')}`
}
