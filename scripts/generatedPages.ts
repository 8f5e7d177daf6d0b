import { configurationPage } from './configurationPage.ts'
import { errorsPage } from './errorsPage.ts'

/** The pages that the code writes, each whole. */
export const generatedPages = (): readonly { readonly file: string; readonly text: string }[] => [
  { file: 'docs/CONFIGURATION.md', text: configurationPage() },
  { file: 'docs/ERRORS.md', text: errorsPage() },
]
