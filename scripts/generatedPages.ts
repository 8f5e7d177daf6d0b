import { apiPage } from './apiPage.ts'
import { commandsPage } from './commandsPage.ts'
import { configurationPage } from './configurationPage.ts'
import { errorsPage } from './errorsPage.ts'
import { faultsPage } from './faultsPage.ts'
import { metricsPage } from './metricsPage.ts'
import { nightlyPage } from './nightlyPage.ts'
import { strategiesPage } from './strategiesPage.ts'

type GeneratedPage = { readonly file: string; readonly text: string }

/** The pages that the code writes, whole or in their tables. */
export const generatedPages = async (): Promise<readonly GeneratedPage[]> => [
  { file: 'docs/CONFIGURATION.md', text: configurationPage() },
  { file: 'docs/STRATEGY-REFERENCE.md', text: strategiesPage() },
  { file: 'docs/ERRORS.md', text: errorsPage() },
  { file: 'docs/FAULTS.md', text: faultsPage() },
  { file: 'docs/NIGHTLY.md', text: nightlyPage() },
  { file: 'docs/COMMANDS.md', text: await commandsPage() },
  { file: 'docs/METRICS.md', text: await metricsPage() },
  { file: 'docs/API.md', text: await apiPage() },
]
