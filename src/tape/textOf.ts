import { withoutSecrets } from '../core/secret.ts'
import type { WrittenEntry } from './readTape.ts'

/** An entry as its line of the file. A secret that a service repeats in its answer is masked. */
export function textOf(entry: WrittenEntry): string {
  const value = entry.kind === 'header' ? entry.header : entry.line
  return `${withoutSecrets(JSON.stringify(value))}\n`
}
