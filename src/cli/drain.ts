import { stopCommand } from './stopCommand.ts'

export const command = stopCommand({
  kind: 'drain',
  summary: 'lets what has begun finish, begins nothing new, then the bot ends',
  example: 'ballast drain --reason "the maker quotes nonsense"',
})
