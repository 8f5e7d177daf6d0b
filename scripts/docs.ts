import { writeFileSync } from 'node:fs'
import { generatedPages } from './generatedPages.ts'

// npm run docs: writes every page that is generated from the code. test/docs.test.ts holds them equal.
for (const { file, text } of await generatedPages()) writeFileSync(file, text)
