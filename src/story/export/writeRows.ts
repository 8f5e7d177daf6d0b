import { lstatSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { partialOf, takeNewName } from '../../bot/journal/store/names.ts'
import { display, displayJson } from '../../core/display.ts'
import { type BallastError, ballastError } from '../../core/errors.ts'
import { compactJson } from '../../core/json.ts'
import type { Cell, Column, Export, Row, Wanted } from './row.ts'

export type Format = 'csv' | 'json'

/** Takes a piece of the document; false when its reader is gone. */
export type Sink = (text: string) => Promise<boolean>

/** This much is gathered before it is written, in characters. */
const piece = 64 * 1_024

/** Writes every row as it is read and keeps none. Returns how many. */
export async function writeRows(
  { columns, rows }: Export,
  {
    wanted,
    format,
    sink,
    signal,
  }: {
    readonly wanted: Wanted | undefined
    readonly format: Format
    readonly sink: Sink
    readonly signal: AbortSignal
  },
): Promise<number> {
  let count = 0
  let waiting = format === 'csv' ? `${columns.map(({ name }) => name).join(',')}\r\n` : '['
  const lineOf = linesOf(format, columns)
  if (wanted !== undefined)
    for await (const row of rows(wanted)) {
      signal.throwIfAborted()
      waiting += lineOf(row, count)
      count += 1
      if (waiting.length < piece) continue
      if (!(await sink(waiting))) return count
      waiting = ''
    }
  await sink(format === 'csv' ? waiting : `${waiting}\n]\n`)
  return count
}

function linesOf(format: Format, columns: readonly Column[]) {
  return format === 'csv'
    ? (row: Row) => csvLine(columns, row)
    : (row: Row, index: number) => `${index === 0 ? '' : ','}\n${jsonLine(columns, row)}`
}

/**
 * Lets `work` write a new file, for its owner alone, which has its name once it is whole and on disk: half an export looks
 * like a whole one. One that is there already is left as it is; what a killed export left is replaced.
 */
export async function toFile<result>(
  path: string,
  work: (sink: Sink) => Promise<result>,
): Promise<result> {
  const refuse = (cause: unknown): never => {
    throw refusal(path, cause)
  }
  const partial = partialOf(path)
  const file = await beginFile(path, partial).catch(refuse)
  try {
    const result = await work(async (text) => {
      await file.writeFile(text).catch(refuse)
      return true
    })
    await file.sync().catch(refuse)
    await nameFile({ file, partial, path }).catch(refuse)
    return result
  } catch (error) {
    if (await hasName(file)) await rm(partial, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

async function beginFile(path: string, partial: string): Promise<FileHandle> {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined)
    throw Object.assign(new Error('it is there'), { code: 'EEXIST' })
  await rm(partial, { force: true })
  return open(partial, 'wx', 0o600)
}

type Written = { readonly file: FileHandle; readonly partial: string; readonly path: string }

async function nameFile({ file, partial, path }: Written): Promise<void> {
  // Another export of this name has begun, and what has the name now is half of that.
  if (!(await hasName(file))) throw Object.assign(new Error('it is gone'), { code: 'ENOENT' })
  takeNewName(partial, path)
}

const hasName = async (file: FileHandle) => (await file.stat()).nlink > 0

function refusal(path: string, cause: unknown): BallastError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
  const why =
    code === 'EEXIST'
      ? 'is there already, and an export overwrites nothing: name another file'
      : `cannot be written (${code})`
  return ballastError('EXPORT_FILE', `${display(path, 512)} ${why}.`, {}, cause)
}

/** The characters a spreadsheet takes for the beginning of a formula; the wide forms are the same to it. */
const formula = /^[=+\-@\t\r＝＋－＠]/

const afterSemicolon = /(;\s*)(?=[=+\-@＝＋－＠])/g

const plainNumber = /^-?\d+(?:\.\d+)?$/

/** One line of RFC 4180. Text that a spreadsheet would run as a formula gets an apostrophe before it. */
export function csvLine(columns: readonly Column[], row: Row): string {
  return `${columns.map(({ name, kind }) => cellText(row[name], kind)).join(',')}\r\n`
}

function cellText(cell: Cell, kind: Column['kind']): string {
  if (cell === undefined) return ''
  const text = display(String(cell), Number.MAX_SAFE_INTEGER)
  // A number may begin with a minus; whatever else is in its column is text like any other.
  const isNumber = kind === 'number' && plainNumber.test(text)
  const begun = formula.test(text) && !isNumber ? `'${text}` : text
  // Where lists are written with semicolons, a spreadsheet begins a cell behind each.
  const safe = begun.replace(afterSemicolon, "$1'")
  return /^\s|\s$|[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** One row as JSON on a line of its own: every column in order, null where there is nothing. Amounts are text. */
function jsonLine(columns: readonly Column[], row: Row): string {
  return displayJson(
    compactJson(Object.fromEntries(columns.map(({ name }) => [name, row[name] ?? null]))),
  )
}
