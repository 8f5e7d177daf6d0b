import type { Hex } from './fields.ts'

/** Storage slots by contract, all in lower case. */
export type SlotsOf = ReadonlyMap<string, ReadonlySet<Hex>>
