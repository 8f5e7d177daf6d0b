import type { Lock } from '../lock.ts'
import { haltFileExists, haltOfFile } from './guard.ts'

/** The halt that a file is, as a lock with the number 0: one that nobody has written down yet. Undefined without the file. */
export function haltByFile(haltFile: string, { at }: { at: number }): Lock | undefined {
  return haltFileExists(haltFile) ? { ...haltOfFile(haltFile), id: 0, openedAt: at } : undefined
}
