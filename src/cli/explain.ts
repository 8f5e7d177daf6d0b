import { onPaper, paperOption } from '../app/onPaper.ts'
import { readJournal } from '../bot/journal/readJournal.ts'
import { journalExists } from '../bot/journal/schema/openDatabase.ts'
import { journalName } from '../bot/journal/store/database.ts'
import { loadStrategies } from '../bot/strategy/load.ts'
import type { Config } from '../config/config.ts'
import { BallastError } from '../core/errors.ts'
import { type Current, tellDecision } from '../story/decisionStory.ts'
import { findSubject, unknownSubject } from '../story/findSubject.ts'
import { sayDecision, saySwap } from '../story/storyText.ts'
import { tellSwap } from '../story/swapStory.ts'
import { defineCommand } from './command.ts'

export const command = defineCommand({
  name: 'explain',
  summary: 'why a decision was made or a swap ended as it did, with the numbers',
  example: 'ballast explain sell-strength@2026-11-20T09:00:00Z',
  arguments: [
    {
      name: '<id>',
      summary:
        'a swap (6 characters of its id are enough), a strategy for its latest decision, NAME@INSTANT for a slot, #123 for a decision',
    },
  ],
  options: { paper: paperOption },
  async run({ args: [id = ''], config: load, options, clock, json, terminal }) {
    const written = await load('journal')
    const config = options.paper ? onPaper(written) : written
    const { database, haltFile } = config
    const coin = config.tokens
    if (!(await journalExists(database)))
      throw unknownSubject(
        `There is nothing to explain yet: there is no journal at ${journalName(database)}. It begins with: ballast run${options.paper ? ' --paper' : ''}`,
      )
    const current = await loaded(config)
    const journal = await readJournal({ database, haltFile, clock })
    try {
      const configured = config.strategies.map(({ name }) => name)
      const subject = await findSubject(id, { journal, configured })
      const [decisions, swaps] =
        subject.kind === 'swap'
          ? [[], [await tellSwap(subject.swap, { journal, coin })]]
          : await tellDecision(subject.decisions, { journal, current, coin })
      if (json) terminal.json({ decisions, swaps })
      else {
        const parts = [...decisions.map(sayDecision), ...swaps.map(saySwap)]
        terminal.out(parts.map((lines) => lines.join('\n')).join('\n\n'))
      }
    } finally {
      await journal.shut()
    }
  },
})

/** What is to be explained does not depend on what is configured today: only the question to today's code does. */
async function loaded(config: Config): Promise<Current> {
  try {
    return { strategies: await loadStrategies(config), trouble: undefined }
  } catch (error) {
    if (!(error instanceof BallastError) || error.fault !== 'usage') throw error
    return { strategies: [], trouble: `the strategies cannot be loaded: ${error.summary}` }
  }
}
