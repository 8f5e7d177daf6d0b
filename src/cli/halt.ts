import { stopCommand } from './stopCommand.ts'

export const command = stopCommand({
  kind: 'halt',
  summary: 'signs and sends nothing any more, not even a cancellation',
  example: 'ballast halt --reason "the maker quotes nonsense"',
})
