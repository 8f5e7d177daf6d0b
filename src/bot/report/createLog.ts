import { type Logger, pino } from 'pino'
import { display, displayJson, foreignMax } from '../../core/display.ts'
import { BallastError } from '../../core/errors.ts'
import { withoutSecrets } from '../../core/secret.ts'

export type Log = Logger

/** Structured log, one event a line: `{ swapId, stage, … }`. Values of loaded secrets never reach the sink, nor anything that steers a terminal. */
export function createLog({ level, sink }: { level: string; sink: (line: string) => void }): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: (error: unknown) => told(error, level) },
    },
    { write: (line: string) => sink(withoutSecrets(displayJson(line))) },
  )
}

/** What a reader can act on. Where it happened in the code is for `LOG_LEVEL=debug`. */
function told(error: unknown, level: string): object {
  const deep = level === 'debug' || level === 'trace'
  if (!(error instanceof Error)) return { message: display(String(error), foreignMax) }
  const stack = deep ? { stack: error.stack } : {}
  if (!(error instanceof BallastError))
    return { message: display(error.message, foreignMax), ...stack }
  const { code, summary, facts, remedy } = error
  return { code, message: summary, facts: written(facts), remedy, ...stack }
}

const written = (facts: BallastError['facts']) =>
  Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [name, display(String(value), foreignMax)]),
  )
