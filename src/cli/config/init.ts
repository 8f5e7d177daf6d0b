import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { jsonSchema } from '../../config/jsonSchema.ts'
import { BallastError } from '../../core/errors.ts'
import { printJson } from '../../core/json.ts'
import { defineCommand } from '../command.ts'
import { template } from './template.ts'

const schemaName = 'ballast.schema.json'

export const init = defineCommand({
  name: 'init',
  summary: 'writes a commented configuration to fill in; never over an existing one',
  example: 'ballast config init --config ballast.yaml',
  async run({ configFile, cwd, json, terminal }) {
    const file = resolve(cwd, configFile)
    write(file, template)
    const schema = join(dirname(file), schemaName)
    if (!existsSync(schema)) write(schema, `${printJson(jsonSchema())}\n`)
    if (json) terminal.json({ file, schema })
    else
      terminal.out(
        `Wrote ${configFile}. Fill in the addresses, then: ballast config check --config ${configFile}`,
      )
  },
})

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx' })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new BallastError(
      code === 'EEXIST'
        ? 'The file exists already and stays as it is; --config names another.'
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
