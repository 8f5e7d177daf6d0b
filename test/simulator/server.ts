import { beginWriting, serverNow } from '../../src/bot/journal/store/postgres/takeLease.ts'
import { type Disk, serverTimeSql, type Value } from './disk.ts'
import type { Scheduler } from './scheduler.ts'
import { ServerError } from './serverError.ts'

export type Answer = {
  readonly command: string
  readonly rowCount: number
  readonly rows: readonly unknown[]
}

/** A connection as the server has it. */
export type Session = {
  readonly user: string
  /** Whether a transaction of it is open. */
  readonly isWriting: boolean
  execute(sql: string, values: readonly Value[]): Promise<Answer>
  /** The server undoes what is open. */
  end(): void
}

/** A server ends a transaction that stands still, and a wait for another one. Milliseconds, as `openPool` asks for them. */
const idleMsMax = 10_000
const waitMsMax = 5_000

/**
 * PostgreSQL as the journal uses it, over the simulated disk: the right to write, time, and limits of time are its own. It
 * runs one transaction at a time, and here a reader waits for it too.
 */
export function createServer({
  scheduler,
  disk,
  onCommit,
}: {
  scheduler: Scheduler
  disk: Disk
  /** Told who has committed what, as `insert attempt`. */
  onCommit: (user: string, changes: readonly string[]) => void
}) {
  const sessions = new Set<Session>()
  const waiting: (() => void)[] = []
  let writer: Session | undefined
  const freed = () => {
    writer = undefined
    while (writer === undefined && waiting.length > 0) waiting.shift()?.()
  }

  function open(user: string): Session {
    let ended = false
    let failed = false
    let busyAt = 0
    const written = new Set<string>()

    /** Does the work at once, or as soon as the transaction of another session is over. */
    const whenFree = <result>(work: () => result) =>
      new Promise<result>((resolve, reject) => {
        let isOver = false
        const go = () => {
          if (isOver) return
          isOver = true
          try {
            if (ended) throw cutOff()
            resolve(work())
          } catch (error) {
            reject(error)
          }
        }
        if (writer === undefined) return go()
        waiting.push(go)
        scheduler.after(waitMsMax, () => {
          if (isOver) return
          isOver = true
          reject(new ServerError('canceling statement due to lock timeout', '55P03'))
        })
      })
    const told = () => {
      if (written.size > 0) onCommit(user, [...written])
      written.clear()
    }
    const begin = () => {
      disk.serve('BEGIN', {})
      writer = session
      failed = false
      written.clear()
      watch()
    }
    /** Ends it where it stood still for so long. */
    const watch = () => {
      const since = busyAt
      scheduler.after(since + idleMsMax - scheduler.now(), () => {
        if (writer !== session) return
        if (busyAt === since) session.end()
        else watch()
      })
    }
    const finish = (word: 'COMMIT' | 'ROLLBACK') => {
      const command = failed ? 'ROLLBACK' : word
      if (writer !== session) return done(command)
      disk.serve(command, {})
      if (command === 'COMMIT') told()
      freed()
      return done(command)
    }
    const perform = (sql: string, values: readonly Value[]): Answer => {
      if (failed) throw new ServerError('current transaction is aborted', '25P02')
      const words = sql.replaceAll(serverNow, serverTimeSql)
      const change = /^\s*(insert|update|delete)(?: into| from)?\s+"?(\w+)/i.exec(sql)
      try {
        const { rows, changes } = disk.serve(words, named(values))
        if (change !== null && changes > 0) written.add(`${change[1]} ${change[2]}`.toLowerCase())
        return { command: commandOf(sql), rowCount: changes, rows }
      } catch (error) {
        failed = writer === session
        throw new ServerError(
          String(error),
          String(error).includes('constraint') ? '23000' : '42000',
        )
      }
    }

    const session: Session = {
      user,
      get isWriting() {
        return writer === session
      },
      async execute(sql, values) {
        if (ended) throw cutOff()
        busyAt = scheduler.now()
        const known = constants.find(([text]) => sql.includes(text))
        if (sql === begins) {
          await whenFree(begin)
          return done('BEGIN')
        }
        if (known !== undefined) return { command: 'SELECT', rowCount: 1, rows: [known[1]] }
        if (/^commit$/i.test(sql)) return finish('COMMIT')
        if (/^rollback$/i.test(sql)) return finish('ROLLBACK')
        if (writer === session) return perform(sql, values)
        return whenFree(() => {
          const answer = perform(sql, values)
          told()
          return answer
        })
      },
      end() {
        if (ended) return
        ended = true
        sessions.delete(session)
        if (writer !== session) return
        disk.serve('ROLLBACK', {})
        freed()
      },
    }
    sessions.add(session)
    return session
  }

  return {
    open,
    /** Ends the connections of a process that is gone, or of all. */
    drop(user?: string) {
      for (const session of sessions) if (user === undefined || session.user === user) session.end()
    },
  }
}

const cutOff = () => new Error('Connection terminated unexpectedly')

const done = (command: string): Answer => ({ command, rowCount: 0, rows: [] })

const begins = beginWriting({})

/** What a session is told of the server, and of a schema that is there: the disk was migrated before. */
const constants: readonly (readonly [string, object])[] = [
  ['SET synchronous_commit', {}],
  ['SET search_path', {}],
  ['current_setting', { durable: 'on', flushed: 'on', encoding: 'UTF8' }],
  [
    'pg_catalog',
    { schema: 'public', table: 'kysely_migration', table_type: 'r', column: 'name', type: 'text' },
  ],
]

const named = (values: readonly Value[]) =>
  Object.fromEntries(values.map((value, index) => [`$${index + 1}`, value]))

const commandOf = (sql: string) => (/^\s*(\w+)/.exec(sql)?.[1] ?? '').toUpperCase()
