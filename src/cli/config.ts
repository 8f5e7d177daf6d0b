import type { CommandGroup } from './command.ts'
import { check } from './config/check.ts'
import { init } from './config/init.ts'
import { schema } from './config/schema.ts'
import { show } from './config/show.ts'

export const command: CommandGroup = {
  name: 'config',
  summary: 'check, show, create the configuration',
  commands: [check, show, schema, init],
}
