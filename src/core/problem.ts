/** Steps to a key: names in a section, numbers in a list. */
export type Path = readonly (string | number)[]

/** One sentence about one key. `meant` is the key a misspelt one stands for. */
export type Problem = { readonly path: Path; readonly sentence: string; readonly meant?: Path }
