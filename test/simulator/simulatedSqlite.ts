/** What `node:sqlite` is in a simulation. */
export { SimulatedDatabase as DatabaseSync } from './disk.ts'
