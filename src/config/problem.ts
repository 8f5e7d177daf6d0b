import type { Path } from './parseYaml.ts'

/** One sentence about one key. `meant` is the key a misspelt one stands for. */
export type Problem = { readonly path: Path; readonly sentence: string; readonly meant?: Path }
