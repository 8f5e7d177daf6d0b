import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import type { Hex } from '../../../chain/calls/fields.ts'
import { type Amount, show } from '../../../core/amount.ts'
import type { Clock } from '../../../core/clock.ts'
import { type BallastError, ballastError } from '../../../core/errors.ts'
import { checkDirectory } from './listenPrivately.ts'

const day = 24 * 60 * 60 * 1_000

/** One counted sale. `at` in milliseconds since the epoch, `wei` in the token's smallest unit. */
const entry = z.strictObject({
  at: z.int().min(0),
  chainId: z.int(),
  token: z.string().regex(/^0x[0-9a-f]{40}$/),
  wei: z.string().regex(/^(?:0|[1-9]\d{0,77})$/),
  /** Digest of chain, nonce and call: the same sale for a higher fee has the same. Absent in older lines. */
  sale: z
    .string()
    .regex(/^0x[0-9a-f]{64}$/)
    .optional(),
})
type Entry = z.infer<typeof entry>

/** The amounts signed away in the last 24 hours, durable before any signature leaves. */
export type DayCount = {
  /**
   * Counts a sale and returns when it is on disk; refuses one that takes the day beyond `perDay`. One that was counted
   * already, the same call under the same nonce, is not counted again: of the two only one can be mined.
   */
  count(sold: Amount, limit: { readonly perDay: bigint; readonly sale: Hex }): void
  close(): void
}

/**
 * Opens the append-only file of sales, for this process alone.
 *
 * A sale is counted before it is signed, and what is counted stays counted: a swap that never reaches the chain
 * uses up its part of the day. A clock that was set back forgets nothing.
 */
export function openDayCount({ file, clock }: { file: string; clock: Clock }): DayCount {
  checkDirectory(dirname(file))
  const lock = lockFor(file)
  try {
    const { O_RDWR, O_CREAT, O_APPEND } = constants
    const descriptor = openSync(file, O_RDWR | O_CREAT | O_APPEND, 0o600)
    const entries = read(descriptor, file)
    syncDirectory(dirname(file))
    let sound = true
    return {
      count(sold, { perDay, sale }) {
        if (!sound) throw new Error('a sale could not be counted: nothing more is signed')
        const now = clock.now()
        const { token, wei } = sold
        const address = token.address.toLowerCase()
        const recent = entries.filter((one) => one.at > now - day)
        if (recent.some((one) => one.sale === sale)) return
        const spent = recent
          .filter((one) => one.chainId === token.chainId && one.token === address)
          .reduce((sum, one) => sum + BigInt(one.wei), 0n)
        if (spent + wei > perDay)
          throw ballastError(
            'SIGNER_REFUSED',
            `Refused: with ${show(sold)} it would be more than ${show({ token, wei: perDay })} in 24 hours.`,
            { rule: 'ABOVE_PER_DAY', spent: show({ token, wei: spent }) },
          )
        const added = { at: now, chainId: token.chainId, token: address, wei: String(wei), sale }
        sound = false
        append(descriptor, added)
        sound = true
        entries.push(added)
      },
      close() {
        closeSync(descriptor)
        lock.close()
      },
    }
  } catch (error) {
    lock.close()
    throw error
  }
}

/** After a write that was torn nothing may follow it: what the file holds then is read again at the next start. */
function append(descriptor: number, added: Entry): void {
  const line = Buffer.from(`${JSON.stringify(added)}\n`)
  if (writeSync(descriptor, line) !== line.length) throw new Error('the sale was not written whole')
  fsyncSync(descriptor)
}

function read(descriptor: number, file: string): Entry[] {
  if ((fstatSync(descriptor).mode & 0o077) !== 0)
    throw broken('The file of counted sales is open to other users: run chmod 600 on it.', { file })
  const text = readFileSync(descriptor, 'utf8')
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  // A line without its end was never synced to its end either, so its signature was never given.
  if (whole.length < text.length) {
    ftruncateSync(descriptor, Buffer.byteLength(whole))
    fsyncSync(descriptor)
  }
  return whole
    .split('\n')
    .slice(0, -1)
    .map((line, index) => {
      try {
        return entry.parse(JSON.parse(line))
      } catch {
        throw broken(
          'The file of counted sales is damaged: nothing is signed until you have looked at it.',
          {
            file,
            line: index + 1,
          },
        )
      }
    })
}

/** The system drops the lock with the process, however that ends. */
function lockFor(file: string): DatabaseSync {
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(`${file}.lock`)
    lock.exec('PRAGMA locking_mode = EXCLUSIVE')
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (cause) {
    lock?.close()
    throw ballastError(
      'SIGNER_RUNNING',
      'Another signer counts in this file, or it cannot be written.',
      { file },
      cause,
    )
  }
}

function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

function broken(summary: string, facts: Readonly<Record<string, string | number>>): BallastError {
  return ballastError('SIGNER_COUNT_BROKEN', summary, facts)
}
