import type { Writable } from 'node:stream'
import { styleText } from 'node:util'

const words = {
  red: 'FAIL|FAILED|REFUSED|BROKEN|CHANGED|HOLE|REJECTED|DEAD|REVERTED|DISPLACED|UNAVAILABLE|ERROR|FATAL|fail|refused|NOT DONE',
  yellow:
    'ATTENTION|WARN|WARNING|STALE|PAUSED|NEVER|EXPIRED|EXPIRED_DEAD|ABANDONED|PENDING|WAITING|LOCKED|MISSED|AGAIN|SANDWICH|warn|warning|unknown',
  green: 'RUNNING|SETTLED|WOULD-SWAP|FREE|DRAINED|ok|held|holds|accepted',
} as const

/** A state or a verdict at the start of a line, or alone at the start of a cell: no word inside a sentence. */
const places = Object.entries(words).map(
  ([colour, list]) =>
    [
      colour as keyof typeof words,
      new RegExp(`(?<=^(?:ballast: | {4})?|\\S {2,})(?:${list})(?=:| {2}|$| (?=[a-z]))`, 'gm'),
    ] as const,
)

/** Colours the words that say whether all is well, where the stream shows colours: NO_COLOR and TERM=dumb are heeded. */
export function paint(text: string, stream: Writable): string {
  if (styleText('red', '', { stream }) === '') return text
  return places.reduce(
    (painted, [colour, pattern]) =>
      painted.replace(pattern, (word) => styleText(colour, word, { stream })),
    text,
  )
}
