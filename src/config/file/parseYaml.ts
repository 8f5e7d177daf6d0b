import {
  type Document,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
} from 'yaml'
import type { Path } from '../../core/problem.ts'

export type TextPosition = { readonly line: number; readonly column: number }

export type ParsedYaml = {
  readonly value: unknown
  /** Problems of the text itself, before any schema. */
  readonly problems: readonly (TextPosition & { readonly sentence: string })[]
  /** Where a path is: its key, or its item of a list; where there is none, the nearest parent. */
  position(path: Path): TextPosition
}

const numbers = ['tag:yaml.org,2002:int', 'tag:yaml.org,2002:float']

const sentences: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'this key is in the same section twice: keep one of them.',
  TAB_AS_INDENT: 'the line is indented with a tab: use spaces.',
  BAD_INDENT:
    'the line is not indented like its section, or a bracket above is still open: indent or close it.',
  MULTIPLE_DOCS: 'the file holds a second document: remove the line with ---.',
  MISSING_CHAR: 'a bracket, quote or comma is missing here.',
  UNEXPECTED_TOKEN: 'this was not expected here: check the punctuation before it.',
  MULTILINE_IMPLICIT_KEY: 'a key goes over more than one line: check for a missing colon or quote.',
  BLOCK_AS_IMPLICIT_KEY: 'two colons on one line: put the value in quotes or on its own line.',
  TAG_RESOLVE_FAILED: 'tags such as !!int are not used here: remove it.',
}

/**
 * Reads YAML and remembers where everything was.
 *
 * Numbers stay text: the default schema turned an unquoted address into 1 and 10^21 into a float.
 */
export function parseYaml(source: string): ParsedYaml {
  const lines = new LineCounter()
  const document = parseDocument(source, {
    lineCounter: lines,
    prettyErrors: false,
    customTags: (tags) =>
      tags.filter((tag) => typeof tag === 'string' || !numbers.includes(tag.tag)),
  })
  const at = (offset: number): TextPosition => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const broken = [...document.errors, ...document.warnings]
  // Errors after a broken line are mostly its echo.
  const syntax = broken.find(({ code }) => code !== 'DUPLICATE_KEY')
  const problems = (syntax === undefined ? broken : [syntax]).map(({ code, message, pos }) => ({
    ...at(pos[0]),
    sentence: sentences[code] ?? `this is not YAML: ${message.split('\n')[0]}.`,
  }))

  if (problems.length === 0)
    problems.push(
      ...brokenAliases(document).map(({ offset, sentence }) => ({ ...at(offset), sentence })),
    )

  // A document with errors has no dependable value.
  const read = problems.length > 0 ? { value: undefined } : expand(document)
  if ('sentence' in read) problems.push({ line: 1, column: 1, sentence: read.sentence })
  return {
    value: 'value' in read ? read.value : undefined,
    problems,
    position(path) {
      let node: unknown = document.contents
      let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0
      for (const step of path) {
        if (isMap(node)) {
          const pair = node.items.find(
            (item) => isPair(item) && isScalar(item.key) && String(item.key.value) === String(step),
          )
          if (pair === undefined) break
          const { key, value } = pair
          offset = (isScalar(key) ? key.range?.[0] : undefined) ?? offset
          node = value
        } else if (isSeq(node)) {
          node = node.items[Number(step)]
          if (!isNode(node)) break
          offset = node.range?.[0] ?? offset
        } else break
      }
      return at(offset)
    },
  }
}

/** Aliases without a finite value. The parser takes an alias inside its own anchor: the value would have no end. */
function brokenAliases(document: Document) {
  const broken: { offset: number; sentence: string }[] = []
  visit(document, {
    Alias(_, alias, ancestors) {
      const anchored = alias.resolve(document)
      const sentence =
        anchored === undefined
          ? 'this alias has no anchor above it: write the value out.'
          : ancestors.includes(anchored)
            ? 'this alias stands inside its own anchor: write the value out.'
            : undefined
      if (sentence !== undefined) broken.push({ offset: alias.range?.[0] ?? 0, sentence })
    },
  })
  return broken
}

/** Aliases may stand for each other until a few lines are gigabytes: the parser gives up before. */
function expand(document: ReturnType<typeof parseDocument>) {
  try {
    return { value: document.toJS() as unknown }
  } catch {
    // It throws for nothing else: what is no YAML was refused above.
    return { sentence: 'anchors and aliases multiply here: write the values out.' }
  }
}
