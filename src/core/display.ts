import { withoutSecrets } from './secret.ts'

/** Control, bidirectional and invisible characters, and line separators: all of them can make a terminal or a log lie. */
const unprintable = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu

/** Foreign text as it may appear in a message: cut, on one line, and unable to steer a terminal. */
export function display(text: string, limit = 200): string {
  // Half a secret is not recognised later.
  const whole = text.length > limit ? withoutSecrets(text) : text
  const start = whole.slice(0, limit * 2)
  // Nearly every text is of plain letters, which takes a tenth of the time to see.
  const head = /^[ -~]*$/.test(start) ? start : start.replace(unprintable, '\u{FFFD}')
  return head.length > limit || whole.length > limit * 2 ? `${head.slice(0, limit)}…` : head
}

/** What a person wrote, as a refusal repeats it: in quotes, and no more of it than says which it was. */
export const asWritten = (text: string): string => `'${display(text, writtenMax)}'`

const writtenMax = 64

/** As much of an address, or another word of hex digits, as tells it from the others beside it. */
export const shortAddress = (address: string): string =>
  `${address.slice(0, 6)}…${address.slice(-4)}`

/** The most of a foreign text that anything repeats. */
export const foreignMax = 1_024

/** Text of several lines as it may reach a terminal: line breaks and tabs stay, whatever else steers one does not. */
export function displayLines(text: string): string {
  return text.replace(unprintable, (character) =>
    character === '\n' || character === '\t' ? character : '\u{FFFD}',
  )
}

/**
 * JSON as it may reach a terminal, also through a program that undoes its escapes. Line breaks and tabs inside a text
 * stay; the document stays the same document otherwise.
 */
export function displayJson(json: string): string {
  return displayLines(json).replace(/\\(?:u[0-9a-fA-F]{4}|.)/g, (escaped) =>
    /^\\(?:u|[rbf])/.test(escaped) ? '\u{FFFD}' : escaped,
  )
}
