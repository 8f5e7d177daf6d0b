import { display } from './display.ts'

/** The known word a typing mistake was probably meant to be; undefined when none is close. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase()
  let best: { readonly word: string; readonly distance: number } | undefined
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase())
    if (best === undefined || distance < best.distance) best = { word: candidate, distance }
  }
  // Beyond a third of the word a suggestion is a guess.
  const limit = Math.max(1, Math.floor(Math.max(wanted.length, 3) / 3))
  return best !== undefined && best.distance <= limit ? best.word : undefined
}

/** ` Did you mean dca-weth?` behind a sentence about an unknown word; empty where no word is close. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const meant = nearest(word, known)
  return meant === undefined ? '' : ` Did you mean ${display(meant, 64)}?`
}

/** Optimal string alignment: inserted, missing, wrong and swapped letters count one each. */
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 8 || a.length > 64) return Number.POSITIVE_INFINITY
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const wrong = a[i - 1] === b[j - 1] ? 0 : 1
      let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + wrong)
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, at(beforeLast, j - 2) + 1)
      row.push(cost)
    }
    beforeLast = last
    last = row
  }
  return at(last, b.length)
}

const at = (row: readonly number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY
