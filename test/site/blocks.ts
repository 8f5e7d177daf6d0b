import { globSync, readFileSync } from 'node:fs'

/** A fenced block of a page, as a reader would copy it. */
export type Block = {
  readonly page: string
  readonly language: string
  readonly code: string
  /** Why no test can run it: `<!-- not run: … -->` right above. */
  readonly reason: string | undefined
}

const fenced = /(?:^<!-- not run: (.+) -->\n)?^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm

/** The blocks of a text, in order. */
export const blocksIn = (page: string, text: string): readonly Block[] =>
  [...text.matchAll(fenced)].map(([, reason, language = '', code = '']) => ({
    ...{ page, language, code, reason },
  }))

/** Every block of README.md, CONTRIBUTING.md and docs. */
export const allBlocks: readonly Block[] = globSync('{README,CONTRIBUTING,docs/**/*}.md')
  .sort()
  .flatMap((page) => blocksIn(page, readFileSync(page, 'utf8')))

/** Pages whose blocks have a test of their own. */
export const ownTests: Readonly<Record<string, string>> = {
  'docs/REAL-CHAIN.md': 'test/e2e/realChain.test.ts',
  'docs/FOREIGN-ROUTERS.md': 'test/e2e/realChain.test.ts',
  'docs/OWN-STRATEGY.md': 'test/ownStrategy.test.ts',
}
