import { type CommandGroup, defineCommand } from './command.ts'
import { configCheck } from './configCheck.ts'
import { configInit } from './configInit.ts'
import { configShow } from './configShow.ts'
import { fullSchema } from './fullSchema.ts'

const schema = defineCommand({
  name: 'schema',
  summary: 'the JSON Schema of ballast.yaml, for editors',
  example: 'ballast config schema > ballast.schema.json',
  run: async () => fullSchema(),
})

export const command: CommandGroup = {
  name: 'config',
  summary: 'check, show, create the configuration',
  commands: [configCheck, configShow, schema, configInit],
}
