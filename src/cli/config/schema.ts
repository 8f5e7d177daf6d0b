import { defineCommand } from '../command.ts'
import { fullSchema } from './fullSchema.ts'

export const schema = defineCommand({
  name: 'schema',
  summary: 'the JSON Schema of ballast.yaml, for editors',
  example: 'ballast config schema > ballast.schema.json',
  async run({ terminal }) {
    terminal.json(fullSchema())
  },
})
