import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { LineCounter, parseDocument, type Tags } from 'yaml'
import type { z } from 'zod'
import { type BallastError, ballastError } from '../core/errors.ts'
import { type SandboxWorld, worldSchema } from './world.ts'

const numberTags = ['tag:yaml.org,2002:int', 'tag:yaml.org,2002:float']

/** Numbers stay the text they are written as: YAML's own would round an amount and read an address as a number. */
const withoutNumbers = (tags: Tags): Tags =>
  tags.filter((tag) => typeof tag === 'string' || !numberTags.includes(tag.tag))

/** Reads a world file. Errors are reported with file and line. */
export function readWorld(file: string): SandboxWorld {
  const lines = new LineCounter()
  const document = parseDocument(readText(file), {
    customTags: withoutNumbers,
    lineCounter: lines,
    uniqueKeys: true,
  })
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `${basename(file)}:${line}:${col}`
  }
  const syntax = document.errors[0]
  if (syntax !== undefined)
    throw invalid(`${place(syntax.pos[0])}: ${syntax.message.split('\n')[0]}`, file)

  const parsed = worldSchema.safeParse(document.toJS())
  if (parsed.success) return parsed.data
  const messages = parsed.error.issues.map(innermost).map(({ path, message }) => {
    const keys = path.filter((key) => typeof key !== 'symbol')
    return `${place(offsetOf(document, keys))}: ${keys.join('.')}: ${message}`
  })
  throw invalid(messages.join('\n'), file)
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw invalid(`${basename(file)} cannot be read.`, file, cause)
  }
}

type Issue = { readonly path: readonly PropertyKey[]; readonly message: string }

/** Of the alternatives that all failed, the one that was understood the furthest is the one that was meant. */
function innermost(issue: z.core.$ZodIssue): Issue {
  if (issue.code !== 'invalid_union') return issue
  const [best] = issue.errors
    .flatMap(([first]) => (first === undefined ? [] : [innermost(first)]))
    .sort((a, b) => b.path.length - a.path.length)
  return best === undefined ? issue : { ...best, path: [...issue.path, ...best.path] }
}

/** Where the nearest key that exists is written: a missing key has no place of its own. */
function offsetOf(
  document: ReturnType<typeof parseDocument>,
  path: readonly (string | number)[],
): number {
  for (let depth = path.length; depth >= 0; depth -= 1) {
    const node = document.getIn(path.slice(0, depth), true) as { range?: [number] } | undefined
    const offset = node?.range?.[0]
    if (offset !== undefined) return offset
  }
  return 0
}

function invalid(summary: string, file: string, cause?: unknown): BallastError {
  return ballastError('WORLD_INVALID', summary, { file }, cause)
}
