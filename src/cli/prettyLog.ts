import { compactJson, isRecord } from '../core/json.ts'

const levels = new Map<unknown, string>([
  [10, 'TRACE'],
  [20, 'DEBUG'],
  [30, 'INFO'],
  [40, 'WARN'],
  [50, 'ERROR'],
  [60, 'FATAL'],
])

/** A JSON line of the log for a person: instant in UTC, level, message, facts. What is no such line stays as it is. */
export function prettyLog(line: string): string {
  const record = recordOf(line)
  if (record === undefined) return line
  const { level, time, msg = '', ...facts } = record
  const at = `${String(time).slice(0, 19).replace('T', ' ')}Z`
  const told = Object.entries(facts).map(([name, fact]) => `${name}=${factText(fact)}`)
  if (level === undefined) return told.join('  ')
  return [at, (levels.get(level) ?? String(level)).padEnd(5), msg, ...told].join('  ')
}

function recordOf(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const record: unknown = JSON.parse(line)
    return isRecord(record) ? record : undefined
  } catch {
    // A sentence, not JSON: it is for a person already.
    return undefined
  }
}

const factText = (fact: unknown) => (typeof fact === 'string' ? fact : compactJson(fact))
