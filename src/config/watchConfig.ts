import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Clock } from '../core/clock.ts'
import { BallastError, ballastError } from '../core/errors.ts'

const periodMs = 1_000

type Watching<loaded> = {
  /** Its absolute path. */
  readonly file: string
  /** Its text at the start: nothing happens until it changes. */
  readonly text: string
  /** Makes something of a new text, or throws what is wrong with it. */
  readonly load: (text: string) => loaded
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Whether a look is wanted although nothing changed; called once a second. */
  readonly isAsked?: () => boolean
  /** An error it throws ends the watch: the text is in force already, and no longer a problem of its own. */
  readonly onChange: (loaded: loaded) => void | Promise<void>
  /** Once for each text that could not be loaded, and once for a file that went away. */
  readonly onProblem: (problem: BallastError) => void
}

/**
 * Looks at a file once a second, until the signal. A new text is taken when two looks in a row saw the same one:
 * editors empty a file before they fill it, or put another in its place. Contents are compared, not times: two edits
 * may share one.
 */
export async function watchConfig<loaded>({
  file,
  text: first,
  load,
  clock,
  signal,
  isAsked = () => false,
  onChange,
  onProblem,
}: Watching<loaded>): Promise<void> {
  let handled = digestOf(first)
  let seen: string | undefined
  let asked = false
  while (await slept(clock, signal)) {
    asked ||= isAsked()
    const { text, problem } = look(file)
    const digest = digestOf(text ?? problem.message)
    const isSteady = digest === seen
    seen = digest
    if (!isSteady || (digest === handled && !asked)) continue
    handled = digest
    asked = false
    let loaded: loaded
    try {
      if (text === undefined) throw problem
      loaded = load(text)
    } catch (error) {
      onProblem(error instanceof BallastError ? error : unforeseen(error, file))
      continue
    }
    await onChange(loaded)
  }
}

/** False when the signal ended the wait. */
async function slept(clock: Clock, signal: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(periodMs, signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return !signal.aborted
}

type Look =
  | { readonly text: string; readonly problem?: never }
  | { readonly text?: never; readonly problem: BallastError }

function look(file: string): Look {
  try {
    return { text: readFileSync(file, 'utf8') }
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException
    return {
      problem: ballastError(
        'CONFIG_UNREADABLE',
        'The configuration cannot be read any more: put the file back.',
        { file, reason: code },
        cause,
      ),
    }
  }
}

/** A check that fails in a way of its own must not end a bot that holds a good configuration. */
const unforeseen = (cause: unknown, file: string): BallastError =>
  ballastError(
    'CONFIG_UNREADABLE',
    'The changed configuration breaks its reader: put the last good one back, or change it again.',
    { file, reason: cause instanceof Error ? cause.message : String(cause) },
    cause,
  )

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')
