import { rowsOfLies } from '../faults/rowsOfLies.ts'

/** What a lie is and does, with the row of the fault matrix that it produces. */
export const titleOf = ({ name, what }: { name: string; what: string }): string =>
  [rowsOfLies[name], `${name}: ${what}`].filter((part) => part !== undefined).join(' ')
