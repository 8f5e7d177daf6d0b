import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { DatabaseSync } from 'node:sqlite'

/**
 * Loaded before the bot by `node --import`: numbers every step of the process that anybody else can see, and strikes at
 * the one that `CRASH_AT` names, by its number or, the first of them, by how its label begins: with SIGKILL, or in the way of `CRASH_HOW`.
 *
 * A step is each side of every commit, and of every HTTP exchange the moment before it leaves, the moment it has left
 * and the moment its answer is there. Between two of them nothing leaves the process, so dying there is dying at one of them.
 * Counting begins at the start of the process, or with `CRASH_FROM=plan` at the commit that plans the first swap.
 */
const { CRASH_AT = '0', CRASH_FROM = 'start', CRASH_HOW = 'kill', CRASH_TRACE } = process.env
const { PATIENCE_MS } = process.env
/** Not a number where a label is given. */
const struck = Number(CRASH_AT)
let done = false
let counting = CRASH_FROM === 'start'
let count = 0
/** The one that had the last commit: the journal. */
let journal: DatabaseSync | undefined

const ways: Readonly<Record<string, () => void>> = {
  kill: () => void process.kill(process.pid, 'SIGKILL'),
  stop: () => void process.kill(process.pid, 'SIGSTOP'),
  // SQLite takes the size the file has now: from here on it cannot grow.
  // Whatever is inserted needs a page more: a small row would find room in those that are there.
  full: () =>
    journal?.exec(`
      CREATE TEMP TRIGGER large_attempt AFTER INSERT ON main.attempt
      BEGIN UPDATE attempt SET answer = zeroblob(65536) WHERE hash = new.hash; END;
      CREATE TEMP TRIGGER large_event AFTER INSERT ON main.event
      BEGIN UPDATE event SET facts = zeroblob(65536) WHERE seq = new.seq; END;
      PRAGMA max_page_count = 1`),
  // What SQLite says when a write or an fsync fails. Before a commit it did not happen, after it nobody can know.
  io() {
    throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 10 })
  },
}

function point(label: string): void {
  if (!counting) return
  count += 1
  const isStruck = !done && (count === struck || label.startsWith(CRASH_AT))
  if (isStruck) done = true
  if (CRASH_TRACE !== undefined && (struck === 0 || isStruck))
    appendFileSync(CRASH_TRACE, `${count}\t${label}\n`)
  if (isStruck) ways[CRASH_HOW]?.()
}

const writes = /^\s*(insert into|update|delete from)\s+"?(\w+)/i

/** What the open transaction has written; undefined outside of one. */
const written = new WeakMap<DatabaseSync, string[] | undefined>()

const prepare = DatabaseSync.prototype.prepare
DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql, ...rest) {
  const statement = prepare.call(this, sql, ...rest)
  const run = statement.run.bind(statement) as (...values: unknown[]) => never
  const table = writes.exec(sql)?.[2]
  statement.run = ((...values: unknown[]) => {
    const tables = written.get(this)
    if (/^begin/i.test(sql)) {
      written.set(this, [])
    } else if (/^commit/i.test(sql)) {
      written.delete(this)
      journal = this
      return sided(`commit of ${[...new Set(tables)].join(', ')}`, () => run(...values))
    } else if (/^rollback/i.test(sql)) {
      written.delete(this)
    } else if (table !== undefined) {
      if (tables === undefined) return sided(`commit of ${table}`, () => run(...values))
      tables.push(table)
      if (table === 'swap' && /^\s*insert/i.test(sql)) counting = true
    }
    return run(...values)
  }) as typeof statement.run
  return statement
}

const exec = DatabaseSync.prototype.exec
DatabaseSync.prototype.exec = function (this: DatabaseSync, sql) {
  if (/^commit/i.test(sql)) sided('commit of the migrations', () => exec.call(this, sql))
  else exec.call(this, sql)
}

// PostgreSQL is spoken over a socket, whoever speaks it. The three sides of a commit have the names they have in a file.
type Write = (this: Socket, chunk: unknown, ...rest: never[]) => boolean
const write = Socket.prototype.write as Write
const writtenTo = new WeakMap<Socket, Set<string> | undefined>()
/** What is sent and not answered yet. */
const committing = new WeakMap<Socket, string>()
Socket.prototype.write = function (this: Socket, chunk: unknown, ...rest: never[]) {
  const sql = Buffer.isBuffer(chunk) ? queryOf(chunk) : ''
  const table = writes.exec(sql)?.[2]
  if (/^begin/i.test(sql)) writtenTo.set(this, new Set())
  if (table !== undefined) writtenTo.get(this)?.add(table)
  if (/^insert into "swap"/i.test(sql)) counting = true
  if (!/^commit$/i.test(sql)) return write.call(this, chunk, ...rest)
  const label = `commit of ${[...(writtenTo.get(this) ?? [])].join(', ')}`
  writtenTo.delete(this)
  committing.set(this, label)
  point(`before ${label}`)
  const result = write.call(this, chunk, ...rest)
  point(`sent ${label}`)
  return result
} as typeof Socket.prototype.write
const push = Socket.prototype.push
Socket.prototype.push = function (this: Socket, chunk: unknown, ...rest) {
  const label = committing.get(this)
  if (label !== undefined && Buffer.isBuffer(chunk) && chunk.includes('COMMIT\0')) {
    committing.delete(this)
    point(`after ${label}`)
  }
  return push.call(this, chunk, ...rest)
}

/** The text of a query, by itself ('Q') or with parameters ('P'): behind its length, and behind its name. */
function queryOf(message: Buffer): string {
  const head = message.toString('latin1', 0, 2)
  if (head !== 'Q\0' && head !== 'P\0') return ''
  const start = head === 'Q\0' ? 5 : message.indexOf(0, 5) + 1
  return message.toString('utf8', start, message.indexOf(0, start))
}

function sided<result>(label: string, act: () => result): result {
  point(`before ${label}`)
  const result = act()
  point(`after ${label}`)
  return result
}

type Passing = { readonly path: string; readonly body?: unknown }
const exchange = (moment: string) => (message: unknown) => {
  const { path, body } = (message as { request: Passing }).request
  point(`${moment} ${nameOf(path, body)}`)
}
subscribe('undici:request:create', exchange('before'))
subscribe('undici:request:bodySent', exchange('sent'))
subscribe('undici:request:trailers', exchange('answered'))
subscribe('undici:request:error', exchange('failed'))

/** The methods of a JSON-RPC exchange, or the path of another. */
function nameOf(path: string, body: unknown): string {
  const text = typeof body === 'string' ? body : ArrayBuffer.isView(body) ? textOf(body) : ''
  const methods = [...text.matchAll(/"method":"(\w+)"/g)].map(([, method]) => method)
  return methods.length === 0 ? path.replace(/\?.*/, '') : [...new Set(methods)].join('+')
}

function textOf({ buffer, byteOffset, byteLength }: ArrayBufferView): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString()
}

// A node that never answers costs its whole timeout: here that is as many milliseconds as the environment says.
if (PATIENCE_MS !== undefined) {
  const timeout = AbortSignal.timeout
  AbortSignal.timeout = (milliseconds) => timeout(Math.min(milliseconds, Number(PATIENCE_MS)))
}
