import { openJournal } from '../bot/journal/openJournal.ts'
import { openPaperJournal } from '../bot/journal/openPaperJournal.ts'
import type { Database } from '../bot/journal/store/database.ts'
import type { Clock } from '../core/clock.ts'
import type { Coin } from '../core/token.ts'

/** What a configuration says of its journal. */
type Configured = {
  readonly database: Database
  readonly haltFile: string
  readonly tokens: Coin
  readonly journal: { readonly archives: string }
}

/** The books of a wallet that another process may spend from. */
export const openBooks = (
  { database, haltFile, tokens: coin, journal: { archives } }: Configured,
  { paper, clock }: { readonly paper: boolean; readonly clock: Clock },
) =>
  paper
    ? openPaperJournal({ database, haltFile, clock, coin })
    : openJournal({ database, haltFile, clock, coin, archives })
