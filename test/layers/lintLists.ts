/** The exceptions of biome.json: a rule that is off for files by name. */
export type LintList = { readonly rule: string; readonly files: readonly string[] }

type Config = {
  readonly overrides: readonly {
    readonly includes: readonly string[]
    readonly linter: { readonly rules: { readonly complexity?: Readonly<Record<string, unknown>> } }
  }[]
}

/** Lengths of the lists now. A list may become shorter, never longer: lower its figure with it. */
const filesMax: Readonly<Record<string, number>> = {
  noExcessiveLinesPerFunction: 0,
  useMaxParams: 9,
}

export const lintListsOf = (biome: string): readonly LintList[] =>
  (JSON.parse(biome) as Config).overrides.flatMap(({ includes, linter }) =>
    Object.entries(linter.rules.complexity ?? {})
      .filter(([, setting]) => setting === 'off')
      .map(([rule]) => ({ rule, files: includes })),
  )

/** Lists that grew, entries for files that are gone, and patterns in place of a file. */
export function brokenLists(
  lists: readonly LintList[],
  exists: (path: string) => boolean,
): readonly string[] {
  return [
    ...Object.keys(filesMax)
      .filter((rule) => !lists.some((list) => list.rule === rule))
      .map((rule) => `biome.json: there is no list of ${rule} — an empty one is fine.`),
    ...lists.flatMap(({ rule, files }) => [
      ...(files.length > (filesMax[rule] ?? 0)
        ? [
            `biome.json: ${files.length} files may break ${rule}, at most ${filesMax[rule] ?? 0} — split the function in place of a new entry.`,
          ]
        : []),
      ...files
        .filter((file) => !exists(file))
        .map(
          (file) =>
            `biome.json: ${file} is in the list of ${rule} and is not there — run npm run lint:lists.`,
        ),
    ]),
  ]
}
