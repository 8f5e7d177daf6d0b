/** A file of the project: its path from the root, with forward slashes, and its text. */
export type Source = { readonly path: string; readonly text: string }

/** Something a rule does not allow: where, and what to do instead. */
export type Violation = string

/** A rule over the whole tree. Pure, so that it is tested with planted files. */
export type Rule = (sources: readonly Source[]) => readonly Violation[]

export type Import = {
  /** `src/core/amount.ts` for a relative one, `viem` or `#strategy` as written otherwise. */
  readonly target: string
  readonly typeOnly: boolean
}

const comment = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/
const quoted = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/
const template = /`(?:\\.|[^`\\])*`/
const regularExpression =
  /(?<=[=(,:;!&|?{}[\n]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/

const tokens = new RegExp(
  [comment, quoted, template, regularExpression].map(({ source }) => `(${source})`).join('|'),
  'g',
)

/** The text without comments, and without what strings and regular expressions contain: words that are code. */
function codeOf({ text }: Source): string {
  return text.replace(
    tokens,
    (all, isComment: string | undefined, isQuoted: string | undefined, isTemplate) => {
      if (isComment !== undefined) return ' '
      if (isQuoted !== undefined) return "''"
      // Code inside `${…}` stays.
      if (isTemplate?.includes('${') === false) return "''"
      if (isTemplate !== undefined) return `(${all.replace(/[^{}]*\$\{|\}[^{}]*/g, ' , ')})`
      return '0'
    },
  )
}

/** Every static import, re-export and `import('…')` of a file. */
export function importsOf(source: Source): readonly Import[] {
  const text = source.text.replace(tokens, (all, isComment: string | undefined) =>
    isComment === undefined ? all : ' ',
  )
  const statements = text.matchAll(
    /(?:^|[;\n])\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?['"]([^'"\n]+)['"]|\bimport\s*\(\s*['"]([^'"\n]+)['"]/g,
  )
  return [...statements].map(([, type, named = '', dynamic]) => ({
    target: resolved(source.path, dynamic ?? named),
    typeOnly: type !== undefined,
  }))
}

function resolved(from: string, target: string): string {
  if (!target.startsWith('.')) return target
  const parts = from.split('/').slice(0, -1)
  for (const step of target.split('/'))
    if (step === '..') parts.pop()
    else if (step !== '.') parts.push(step)
  return parts.join('/')
}

/** One violation for each file of `where` whose code matches `pattern`. */
export function banned({
  pattern,
  where,
  instead,
}: {
  pattern: RegExp
  where: (path: string) => boolean
  instead: string
}): Rule {
  return (sources) =>
    sources
      .filter(({ path }) => where(path))
      .flatMap((source) => {
        const found = pattern.exec(codeOf(source))
        return found === null ? [] : [`${source.path}: ${found[0].trim()} — ${instead}`]
      })
}
