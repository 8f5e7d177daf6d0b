import { type Logger, pino } from 'pino'
import { withoutSecrets } from '../../core/secret.ts'

export type Log = Logger

/** Structured log, one event a line: `{ swapId, stage, … }`. Values of loaded secrets never reach the sink. */
export function createLog({ level, sink }: { level: string; sink: (line: string) => void }): Log {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line: string) => sink(withoutSecrets(line)) },
  )
}
