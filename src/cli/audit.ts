import { verify } from './audit/verify.ts'
import type { CommandGroup } from './command.ts'

export const command: CommandGroup = {
  name: 'audit',
  summary: 'proves that the log is what was written',
  commands: [verify],
}
