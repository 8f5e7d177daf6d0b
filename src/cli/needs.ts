import { openQuotes } from '../app/openQuotes.ts'
import { type JournalReader, readJournal } from '../bot/journal/readJournal.ts'
import { journalExists } from '../bot/journal/schema/openDatabase.ts'
import type { QuoteApi } from '../bot/quote/api/createQuoteApi.ts'
import type { Need } from './command.ts'

/** The configured journal, opened so that nothing could be written; undefined where there is none yet. */
export const existingJournal: Need<JournalReader | undefined> = async (
  { config, clock },
  opened,
) => {
  const { database, haltFile, tokens } = config
  const { archives } = config.journal
  if (!(await journalExists(database))) return undefined
  const journal = await readJournal({ database, haltFile, clock, archives, coin: tokens })
  return opened.adopt(journal, (one) => one.shut())
}

/** The configured quoting service. */
export const quotes: Need<QuoteApi> = async ({ config, clock }, opened) =>
  opened.adopt(openQuotes(config, { clock }), (one) => one.close())
