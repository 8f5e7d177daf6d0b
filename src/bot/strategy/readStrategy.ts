import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { types } from 'node:util'
import { deepFreeze } from '../../core/deepFreeze.ts'
import { brokenStrategy, callStrategy } from './callStrategy.ts'
import {
  checkAccounts,
  checkDecision,
  checkReserves,
  checkSchedule,
  checkSpent,
  checkTargets,
  checkTypicalSwaps,
  checkWatches,
  checkWeighs,
} from './checkAnswers.ts'
import { otherVersion, versionNamed } from './interfaceVersion.ts'
import { isolate } from './isolate.ts'
import type { Strategy } from './strategy.ts'
import { inTime } from './withinTime.ts'

/** Read once in a process: the configuration may change while it runs, the code may not. */
const read = new Map<string, { readonly text: string; readonly strategy: Strategy<unknown> }>()

/** Another text for each change of a file that this process has read: then it is to be read again. */
export const fileTimes = (): string => [...read.keys()].map(timeOf).join(' ')

/** Whatever keeps a file from being looked at is said when it is read, and ends nothing that runs. */
function timeOf(file: string): string {
  try {
    const { ino, ctimeMs } = statSync(file)
    return `${ino}@${ctimeMs}`
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'gone'
  }
}

/**
 * The strategy of one file, in its own world. An error, at load or in a call, becomes one sentence with
 * its place; a refusal of `#strategy` stays what it is.
 */
export function readStrategy(
  file: string,
  shown = `strategies/${basename(file)}`,
): Strategy<unknown> {
  const text = callStrategy({ file, shown, part: 'cannot be read' }, () =>
    readFileSync(file, 'utf8'),
  )
  const known = read.get(file)
  if (known?.text === text) return known.strategy
  if (known !== undefined)
    throw brokenStrategy(
      `${shown} has changed since this process loaded it: restart to run the new text, or put the old one back.`,
    )
  // Before it is run: what another version offers is missing here, and that is not what is wrong.
  refuseOther(versionNamed(text), shown)
  // Its properties may be code as well.
  const strategy = callStrategy({ file, shown, part: 'cannot be loaded' }, () =>
    telling(asStrategy(isolate(text, { file }), shown), { file, shown }),
  )
  refuseOther(strategy.writtenFor, shown)
  read.set(file, { text, strategy })
  return strategy
}

function refuseOther(written: unknown, shown: string): void {
  const sentence = otherVersion(written)
  if (sentence !== undefined) throw brokenStrategy(`${shown} ${sentence}`)
}

const texts = ['name', 'summary'] as const
const functions = ['params', 'schedule', 'watch', 'decide'] as const
const optionalFunctions = [
  ...(['reserves', 'pricedByPerson', 'accounts'] as const),
  ...(['typicalSwaps', 'weighs', 'targets', 'spent'] as const),
]

function asStrategy(value: unknown, shown: string): Strategy<unknown> {
  const parts = (typeof value === 'object' && value !== null ? value : {}) as Readonly<
    Record<string, unknown>
  >
  if ([...texts, ...functions].every((part) => parts[part] === undefined))
    throw brokenStrategy(
      `${shown} does not export a strategy: write 'export default defineStrategy({ … })'.`,
    )
  const wrong =
    texts.find((part) => typeof parts[part] !== 'string') ??
    functions.find((part) => typeof parts[part] !== 'function') ??
    optionalFunctions.find((part) => !['function', 'undefined'].includes(typeof parts[part]))
  const late = [...functions, ...optionalFunctions].find((part) =>
    types.isAsyncFunction(parts[part]),
  )
  if (wrong === undefined && late !== undefined)
    throw brokenStrategy(
      `${shown} exports a strategy whose ${late} is async: it answers at once, so write it without async.`,
    )
  if (wrong === undefined) return parts as unknown as Strategy<unknown>
  const kind = texts.some((part) => part === wrong) ? 'text' : 'function'
  throw brokenStrategy(
    `${shown} exports a strategy whose ${wrong} is ${parts[wrong] === undefined ? 'missing' : `no ${kind}`}: ${wrong} is a ${kind}.`,
  )
}

/** The same strategy; an error of its functions names the place. */
function telling(
  strategy: Strategy<unknown>,
  place: { readonly file: string; readonly shown: string },
): Strategy<unknown> {
  const parts = [...functions, ...optionalFunctions.filter((part) => strategy[part] !== undefined)]
  deepFreeze(strategy)
  return Object.freeze({
    ...strategy,
    ...Object.fromEntries(
      parts.map((part) => [
        part,
        (given: never) =>
          callStrategy({ ...place, part: `${part} failed` }, () =>
            limitOf(part)(() =>
              checked(part, heard(Reflect.apply(strategy[part] as Part, strategy, [given]))),
            ),
          ),
      ]),
    ),
  })
}

type Part = (given: never) => unknown

/** A replay calls these a million times: where real time counts, `createTimeLimit` limits them. */
const limitOf = (part: string): (<answer>(act: () => answer) => answer) =>
  ['decide', 'reserves', 'targets'].includes(part) ? (act) => act() : inTime

/** A promise as an answer is refused. That it fails later is then no news, and must not end the process. */
function heard(answer: unknown): unknown {
  if (types.isPromise(answer)) Promise.prototype.then.call(answer, undefined, () => {})
  return answer
}

/** Types are gone when it runs: a wrong answer is refused here, near its file. */
function checked(part: string, answer: unknown): unknown {
  switch (part) {
    case 'decide':
      return checkDecision(answer)
    case 'reserves':
      return checkReserves(answer)
    case 'accounts':
      return checkAccounts(answer)
    case 'schedule':
      return checkSchedule(answer)
    case 'watch':
      return checkWatches(answer)
    case 'typicalSwaps':
      return checkTypicalSwaps(answer)
    case 'weighs':
      return checkWeighs(answer)
    case 'targets':
      return checkTargets(answer)
    case 'spent':
      return checkSpent(answer)
    default:
      return answer
  }
}
