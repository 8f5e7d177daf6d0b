import { createHash } from 'node:crypto'
import { stripTypeScriptTypes } from 'node:module'

/** Put in by the build of a release: its strategies without their types, by the SHA-256 of the files as they are shipped. */
declare const SHIPPED_STRATEGIES: Readonly<Record<string, string>> | undefined

/**
 * The JavaScript of a strategy, each letter where it was. Node loads a compiler to strip types, which is a good part of
 * what a short command takes. A release has its own strategies stripped; one that was added or changed is stripped here.
 */
export function withoutTypes(text: string): string {
  const shipped = typeof SHIPPED_STRATEGIES === 'undefined' ? {} : SHIPPED_STRATEGIES
  return shipped[createHash('sha256').update(text).digest('hex')] ?? stripped(text)
}

/** Node warns that it may still change how it strips types: that concerns this file, not an operator. */
function stripped(text: string): string {
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    return stripTypeScriptTypes(text)
  } finally {
    process.emitWarning = emitWarning
  }
}
