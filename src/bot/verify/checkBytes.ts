import type { Hex } from '../../chain/calls/fields.ts'
import type { Checklist } from '../../core/check.ts'

/**
 * Holds bytes to be equal and shows the first word that is not: where bytes differ is seldom where they begin,
 * and more than the beginning of them no reader of a check sees.
 */
export function checkBytes(
  name: string,
  { expected, actual }: { expected: Hex; actual: Hex },
  checks: Checklist,
): void {
  const [wanted, got] = [expected.toLowerCase(), actual.toLowerCase()]
  if (wanted === got) {
    checks.equal(name, `${bytesOf(wanted)} bytes`, `${bytesOf(got)} bytes`)
    return
  }
  let word = 0
  while (wordOf(wanted, word) === wordOf(got, word)) word += 1
  checks.equal(name, shown(wanted, word), shown(got, word))
}

const bytesOf = (hex: string) => hex.length / 2 - 1

const wordOf = (hex: string, word: number) => hex.slice(2 + 64 * word, 66 + 64 * word)

const shown = (hex: string, word: number) =>
  `${bytesOf(hex)} bytes, at ${32 * word}: ${wordOf(hex, word) || 'nothing'}`
