import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { callWith } from '../../app/calls.ts'
import { type NamedStrategy, shippedStrategies } from '../../bot/strategy/shippedStrategies.ts'
import { BallastError, ballastError } from '../../core/errors.ts'
import { printJson } from '../../core/json.ts'
import { nearest } from '../../core/nearest.ts'
import { table } from '../../core/textLayout.ts'
import { defineCommand } from '../command.ts'
import { fullSchema } from './fullSchema.ts'
import { strategyEntry } from './strategyEntry.ts'
import { template } from './template.ts'

const schemaName = 'ballast.schema.json'

export const init = defineCommand({
  name: 'init',
  summary: 'writes a commented configuration to fill in; never over an existing one',
  example: 'ballast config init --strategy threshold --strategy dca',
  options: {
    strategy: {
      flags: '--strategy <name...>',
      summary: 'fills in an entry of this strategy; may be given several times',
    },
    list: { flags: '--list', summary: 'names the strategies and writes nothing' },
  },
  async run({ configFile, cwd, json, options, terminal }) {
    const known = shippedStrategies()
    if (options.list) {
      const named = known.map(({ use, strategy }) => ({ use, summary: strategy.summary }))
      if (json) terminal.json({ strategies: named })
      else
        terminal.out(
          `${table(named.map(({ use, summary }) => [use, summary]))}\n\nNext: ballast config init --strategy ${known[0]?.use ?? 'NAME'}`,
        )
      return
    }
    const entries = entriesOf(options.strategy ?? [], known)
    const file = resolve(cwd, configFile)
    const text = template(entries)
    write(file, text)
    const schema = join(dirname(file), schemaName)
    const schemaWritten = !existsSync(schema)
    if (schemaWritten) write(schema, `${printJson(fullSchema())}\n`)
    if (json) terminal.json({ file, schema, strategies: options.strategy ?? [] })
    else {
      const blanks = text.match(/"FILL IN"/g)?.length ?? 0
      terminal.out(
        [
          `Wrote ${configFile}${schemaWritten ? `, and ${schemaName} for your editor` : ''}.`,
          `It says FILL IN in ${blanks} places that only you know; chain, tokens and amounts are examples.`,
          'Nothing is swapped before policy.references lists a price. Read it once from top to bottom.',
          `Next: ${callWith(configFile, 'ballast config check')}`,
        ].join('\n'),
      )
    }
  },
})

/** Two entries of one strategy are told apart by a number. */
function entriesOf(names: readonly string[], known: readonly NamedStrategy[]): readonly string[] {
  return names.map((name, index) => {
    const found = known.find(({ use }) => use === name)
    if (found === undefined) throw unknown(name, known)
    const earlier = names.slice(0, index).filter((other) => other === name).length
    return strategyEntry(found, earlier === 0 ? name : `${name}-${earlier + 1}`)
  })
}

function unknown(name: string, known: readonly NamedStrategy[]): BallastError {
  const uses = known.map(({ use }) => use)
  const meant = nearest(name, uses)
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`
  return ballastError(
    'UNKNOWN_STRATEGY',
    `There is no strategy '${name.slice(0, 64)}'.${hint} There are: ${uses.join(', ')}.`,
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
