import { configurationPage } from './configurationPage.ts'
import { errorsPage } from './errorsPage.ts'
import { nightlyPage } from './nightlyPage.ts'
import { strategiesPage } from './strategiesPage.ts'

/** The pages that the code writes, whole or in their tables. */
export const generatedPages = (): readonly { readonly file: string; readonly text: string }[] => [
  { file: 'docs/CONFIGURATION.md', text: configurationPage() },
  { file: 'docs/STRATEGIES.md', text: strategiesPage('docs/STRATEGIES.md') },
  { file: 'docs/ERRORS.md', text: errorsPage() },
  { file: 'docs/NIGHTLY.md', text: nightlyPage() },
]
