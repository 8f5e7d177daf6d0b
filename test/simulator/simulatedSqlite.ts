import { SimulatedDatabase } from './disk.ts'

/** What `node:sqlite` is in a simulation. */
export const DatabaseSync = SimulatedDatabase
