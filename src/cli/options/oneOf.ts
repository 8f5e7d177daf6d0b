import { display } from '../../core/display.ts'
import { ballastError } from '../../core/errors.ts'
import { nearest } from '../../core/nearest.ts'

/** Reads an option that takes one of a few words. */
export function oneOf<word extends string>(name: string, words: readonly word[]) {
  return (text: string): word => {
    const word = words.find((one) => one === text)
    if (word !== undefined) return word
    const meant = nearest(text, words)
    const hint = meant === undefined ? '' : ` Did you mean ${meant}?`
    throw ballastError(
      'USAGE',
      `${name} takes one of ${words.join(', ')}, not '${display(text, 32)}'.${hint}`,
    )
  }
}
