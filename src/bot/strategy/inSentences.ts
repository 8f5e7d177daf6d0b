import { basename } from 'node:path'
import { display } from '../../core/display.ts'
import { BallastError } from '../../core/errors.ts'
import { brokenStrategy } from './brokenStrategy.ts'

/**
 * Lets the code of a strategy do something: whatever it throws becomes one sentence with its place. Errors of that world
 * are of another `Error`: they are read, not recognised.
 */
export function inSentences<result>(
  { file, part }: { file: string; part: string },
  act: () => result,
): result {
  try {
    return act()
  } catch (cause) {
    if (cause instanceof BallastError) throw cause
    const { message, stack } = (typeof cause === 'object' && cause !== null ? cause : {}) as {
      readonly message?: unknown
      readonly stack?: unknown
    }
    const reason = String(message ?? cause).split('\n')[0] ?? ''
    const [, place = ''] = String(stack).split(file)
    const at = /^(?::\d+)+/.exec(place)?.[0] ?? ''
    const end = /[.!?]$/.test(reason) ? '' : '.'
    throw brokenStrategy(
      `strategies/${basename(file)}${at} ${part}: ${display(reason)}${end}`,
      cause,
    )
  }
}
