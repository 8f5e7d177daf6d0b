import { configurationPage } from './configurationPage.ts'

/** The pages that the code writes, each whole. */
export const generatedPages = (): readonly { readonly file: string; readonly text: string }[] => [
  { file: 'docs/CONFIGURATION.md', text: configurationPage() },
]
