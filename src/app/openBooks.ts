import { openJournal } from '../bot/journal/openJournal.ts'
import { openPaperJournal } from '../bot/journal/openPaperJournal.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'

/** The books of a wallet that another process may spend from. */
export const openBooks = (
  { database, haltFile, tokens: coin, journal: { archives } }: Config,
  { paper, clock }: { readonly paper: boolean; readonly clock: Clock },
) =>
  paper
    ? openPaperJournal({ database, haltFile, clock, coin })
    : openJournal({ database, haltFile, clock, coin, archives })
