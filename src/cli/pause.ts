import { stopCommand } from './stopCommand.ts'

export const command = stopCommand({
  kind: 'pause',
  summary: 'begins nothing new; what is signed is followed to its end',
  example: 'ballast pause --reason "the maker quotes nonsense"',
})
