import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { callWith } from '../app/calls.ts'
import { type NamedStrategy, shippedStrategies } from '../bot/strategy/shippedStrategies.ts'
import { presets } from '../config/presets.ts'
import { asWritten } from '../core/display.ts'
import { BallastError, ballastError } from '../core/errors.ts'
import { printJson } from '../core/json.ts'
import { didYouMean } from '../core/nearest.ts'
import { table } from '../core/textLayout.ts'
import { defineCommand } from './command.ts'
import { template } from './configTemplate.ts'
import { fullSchema } from './fullSchema.ts'
import { oneOf } from './options.ts'
import { strategyEntry } from './strategyEntry.ts'

const readChain = oneOf(
  '--chain',
  presets.map(({ name }) => name),
)

const schemaName = 'ballast.schema.json'

export const configInit = defineCommand({
  name: 'init',
  summary: 'writes a commented configuration to fill in; never over an existing one',
  example: 'ballast config init --strategy threshold --strategy dca',
  options: {
    strategy: {
      flags: '--strategy <name...>',
      summary: 'fills in an entry of this strategy; may be given several times',
    },
    chain: {
      flags: '--chain <name>',
      summary: 'fills in what is known of this chain: tokens, feeds, block time',
      read: readChain,
    },
    list: { flags: '--list', summary: 'names the strategies and writes nothing' },
  },
  async run({ configFile, cwd, options }) {
    const shipped = shippedStrategies()
    if (options.list) {
      const strategies = shipped.map(({ use, strategy }) => ({ use, summary: strategy.summary }))
      return { kind: 'list' as const, document: { strategies } }
    }
    const strategies = options.strategy ?? []
    const file = resolve(cwd, configFile)
    const preset = presets.find(({ name }) => name === options.chain)
    const text = template(entriesOf(strategies, shipped), preset)
    write(file, text)
    const schema = join(dirname(file), schemaName)
    const schemaWritten = !existsSync(schema)
    if (schemaWritten) write(schema, `${printJson(fullSchema())}\n`)
    const blanks = text.match(/"FILL IN"/g)?.length ?? 0
    const document = { file, schema, strategies, chain: options.chain }
    return { kind: 'file' as const, document, blanks, schemaWritten, preset }
  },
  text(result, { configFile, terminal }) {
    if (result.kind === 'list') {
      const { strategies } = result.document
      const rows = strategies.map(({ use, summary }) => [use, summary])
      return `${table(rows, terminal.columns)}\n\nNext: ballast config init --strategy ${strategies[0]?.use ?? 'NAME'}`
    }
    return [
      `Wrote ${configFile}${result.schemaWritten ? `, and ${schemaName} for your editor` : ''}.`,
      result.preset === undefined
        ? `It says FILL IN in ${result.blanks} places that only you know; chain, tokens and amounts are examples.`
        : `It says FILL IN in ${result.blanks} places that only you know; nodes and amounts are examples.`,
      result.preset === undefined
        ? 'Nothing is swapped before policy.references lists a price. Read it once from top to bottom.'
        : `What it knows of ${result.preset.name} counts once ballast doctor has asked the chain. Explorer: ${result.preset.explorer}`,
      `Next: ${callWith(configFile, 'ballast config check')}`,
    ].join('\n')
  },
  document: ({ document }) => document,
})

/** A number separates two entries of one strategy. */
function entriesOf(names: readonly string[], known: readonly NamedStrategy[]): readonly string[] {
  return names.map((name, index) => {
    const found = known.find(({ use }) => use === name)
    if (found === undefined) throw unknownUse(name, known)
    const earlier = names.slice(0, index).filter((other) => other === name).length
    return strategyEntry(found, earlier === 0 ? name : `${name}-${earlier + 1}`)
  })
}

function unknownUse(name: string, known: readonly NamedStrategy[]): BallastError {
  const uses = known.map(({ use }) => use)
  return ballastError(
    'UNKNOWN_STRATEGY',
    `There is no strategy ${asWritten(name)}.${didYouMean(name, uses)} There are: ${uses.join(', ')}.`,
  )
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx' })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new BallastError(
      code === 'EEXIST'
        ? `The file exists already and stays as it is. 'ballast config check' reads it; --config names another.`
        : 'The file cannot be written.',
      {
        code: code === 'EEXIST' ? 'FILE_EXISTS' : 'FILE_NOT_WRITTEN',
        remedy: 'halt',
        fault: 'usage',
        facts: { file, reason: code === 'EEXIST' ? undefined : code },
        cause,
      },
    )
  }
}
