import { existsSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { assertMayWrite, type Database, unusable } from './database.ts'

/** Read whole before anything else where that takes less than a second; beside the work where it would take minutes. */
const bytesAtOnceMax = 64 * 1_024 * 1_024

/** How the reading of a whole file goes. */
export type Integrity = {
  /** Resolves when all was read and is sound, or on a stop request; throws JOURNAL_UNUSABLE where it is not. */
  whole(signal: AbortSignal): Promise<void>
  stop(): Promise<void>
}

/**
 * Reads the whole file before anything new is begun on it: a torn page found later would be found by a swap. A large file
 * is read by a thread of its own, so that signed bytes need not wait: `whole` is awaited before anything new begins.
 * A server looks after its own files.
 */
export function checkIntegrity(database: Database, bytesAtOnce = bytesAtOnceMax): Integrity {
  if (database.dialect !== 'sqlite' || !existsSync(database.path)) return sound
  const { path } = database
  assertMayWrite(path)
  if (statSync(path).size > bytesAtOnce) return readAside(path)
  let file: DatabaseSync | undefined
  try {
    file = new DatabaseSync(path, { timeout: 5_000 })
    assertOk(Object.values(file.prepare(question).get() ?? {})[0])
    return sound
  } catch (cause) {
    throw unusable(path, cause)
  } finally {
    file?.close()
  }
}

const question = 'PRAGMA integrity_check(1)'

const sound: Integrity = { whole: async () => {}, stop: async () => {} }

function assertOk(verdict: unknown): void {
  if (verdict !== 'ok') throw new Error(String(verdict))
}

/** Text, and not a file: a release is bundled, and has no file beside this one. */
const reader = `
  const { parentPort, workerData } = require('node:worker_threads')
  const { DatabaseSync } = require('node:sqlite')
  const file = new DatabaseSync(workerData, { timeout: 5_000, readOnly: true })
  parentPort.postMessage(Object.values(file.prepare('${question}').get() ?? {})[0])
  file.close()`

function readAside(path: string): Integrity {
  const thread = new Worker(reader, { eval: true, workerData: path, name: 'integrity' })
  thread.unref()
  const read = new Promise<void>((resolve, reject) => {
    thread.on('message', (verdict) => {
      try {
        assertOk(verdict)
        resolve()
      } catch (error) {
        reject(unusable(path, error))
      }
    })
    thread.on('error', (error) => reject(unusable(path, error)))
    thread.on('exit', () => reject(unusable(path, new Error('it was not read to its end'))))
  })
  // Thrown where it is awaited; until then it is no unhandled rejection.
  read.catch(() => {})
  return {
    async whole(signal) {
      // A process that waits for it lives.
      thread.ref()
      await Promise.race([read, aborted(signal)])
    },
    async stop() {
      await thread.terminate()
    },
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) =>
    signal.addEventListener('abort', () => resolve(), { once: true }),
  )
}
