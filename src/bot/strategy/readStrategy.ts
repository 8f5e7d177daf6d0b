import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { display } from '../../core/display.ts'
import { BallastError, ballastError } from '../../core/errors.ts'
import { checkDecision, checkReserves } from './checkAnswers.ts'
import { isolate } from './isolate.ts'
import type { Strategy } from './strategy.ts'

/** Read once in a process: the configuration may change while it runs, the code may not. */
const read = new Map<string, { readonly text: string; readonly strategy: Strategy<unknown> }>()

/**
 * The strategy of one file, in its own world. An error, at load or in a call, becomes one sentence with
 * its place; a refusal of `#strategy` stays what it is.
 */
export function readStrategy(file: string): Strategy<unknown> {
  const shown = `strategies/${basename(file)}`
  const text = readFileSync(file, 'utf8')
  const known = read.get(file)
  if (known?.text === text) return known.strategy
  if (known !== undefined)
    throw brokenStrategy(
      `${shown} has changed since this process loaded it: restart to run the new text, or put the old one back.`,
    )
  const exported = callStrategy({ file, part: 'cannot be loaded' }, () => isolate(text, { file }))
  if (!isStrategy(exported))
    throw brokenStrategy(
      `${shown} does not export a strategy: write 'export default defineStrategy({ … })'.`,
    )
  const strategy = telling(exported, file)
  read.set(file, { text, strategy })
  return strategy
}

const functions = ['params', 'schedule', 'watch', 'decide'] as const
const optionalFunctions = ['reserves', 'pricedByPerson'] as const

function isStrategy(value: unknown): value is Strategy<unknown> {
  if (typeof value !== 'object' || value === null) return false
  const candidate = value as Partial<Record<keyof Strategy<unknown>, unknown>>
  return (
    typeof candidate.name === 'string' &&
    typeof candidate.summary === 'string' &&
    optionalFunctions.every((part) => ['function', 'undefined'].includes(typeof candidate[part])) &&
    functions.every((part) => typeof candidate[part] === 'function')
  )
}

/** The same strategy; an error of its functions names the place. */
function telling(strategy: Strategy<unknown>, file: string): Strategy<unknown> {
  const parts = [...functions, ...optionalFunctions.filter((part) => strategy[part] !== undefined)]
  return Object.freeze({
    ...strategy,
    ...Object.fromEntries(
      parts.map((part) => [
        part,
        (given: never) =>
          callStrategy({ file, part: `${part} failed` }, () =>
            checked(part, Reflect.apply(strategy[part] as Part, strategy, [given])),
          ),
      ]),
    ),
  })
}

type Part = (given: never) => unknown

/** Types are gone when it runs: a wrong answer is refused here, near its file. */
function checked(part: string, answer: unknown): unknown {
  switch (part) {
    case 'decide':
      return checkDecision(answer)
    case 'reserves':
      return checkReserves(answer)
    case 'schedule':
      return checkSchedule(answer)
    default:
      return answer
  }
}

function checkSchedule(answer: unknown): unknown {
  const { kind, seconds } = (answer ?? {}) as {
    readonly kind?: unknown
    readonly seconds?: unknown
  }
  if (kind === 'every' && !(Number.isSafeInteger(seconds) && Number(seconds) >= 1))
    throw new RangeError('every takes whole seconds, one or more')
  return answer
}

/**
 * Lets the code of a strategy do something: whatever it throws becomes one sentence with its place. Errors of that world
 * are of another `Error`: they are read, not recognised.
 */
export function callStrategy<result>(
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

/** A strategy that cannot run, or not any further: the bot stops. */
function brokenStrategy(summary: string, cause?: unknown): BallastError {
  return ballastError('STRATEGY_BROKEN', summary, {}, cause)
}
