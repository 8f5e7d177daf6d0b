import { display } from '../../core/display.ts'
import { BallastError, ballastError } from '../../core/errors.ts'

/** The file of a strategy, its name in a sentence, and the part that is called. */
type Place = { readonly file: string; readonly shown: string; readonly part: string }

/**
 * Lets the code of a strategy do something: whatever it throws becomes one sentence with its place. Errors of that world
 * are of another `Error`: they are read, not recognised.
 */
export function callStrategy<result>(place: Place, act: () => result): result {
  try {
    return act()
  } catch (cause) {
    throw toldWith(cause, place)
  }
}

/** A strategy that cannot run, or not any further: the bot stops. */
export function brokenStrategy(summary: string, cause?: unknown): BallastError {
  return ballastError('STRATEGY_BROKEN', summary, {}, cause)
}

/** The error with its place. To read what a strategy threw runs its code again, which may throw again. */
function toldWith(cause: unknown, place: Place): BallastError {
  try {
    return cause instanceof BallastError ? cause : brokenStrategy(sentenceOf(cause, place), cause)
  } catch {
    // It is no cause of the error either: a log would read it too.
    return brokenStrategy(unreadable(place))
  }
}

/** The sentence about a promise that failed after the answer of the strategy that left it behind. */
export function strayText(cause: unknown, file: string): string {
  const place = { file, shown: file, part: 'left a promise behind, which failed' }
  try {
    return sentenceOf(cause, place)
  } catch {
    return unreadable(place)
  }
}

const unreadable = ({ shown, part }: Place) =>
  `${shown} ${part}: it threw a value that cannot be read.`

function sentenceOf(cause: unknown, { file, shown, part }: Place): string {
  const { message, stack } = (typeof cause === 'object' && cause !== null ? cause : {}) as {
    readonly message?: unknown
    readonly stack?: unknown
  }
  const reason = String(message ?? cause).split('\n')[0] ?? ''
  const [, place = ''] = String(stack).split(file)
  const at = /^(?::\d+)+/.exec(place)?.[0] ?? ''
  const end = /[.!?]$/.test(reason) ? '' : '.'
  return `${shown}${at} ${part}: ${display(reason)}${end}`
}
