import { journalName } from '../bot/journal/store/database.ts'
import { loadStrategies } from '../bot/strategy/load.ts'
import type { Config } from '../config/config.ts'
import { BallastError } from '../core/errors.ts'
import { type CurrentStrategies, explainDecisions } from '../story/explainDecisions.ts'
import { explainSwap } from '../story/explainSwap.ts'
import { findSubject, unknownSubject } from '../story/findSubject.ts'
import { formatDecision, formatSwap } from '../story/storyText.ts'
import { defineCommand } from './command.ts'
import { existingJournal } from './needs.ts'
import { paperOption } from './options.ts'

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
  config: 'journal',
  needs: { journal: existingJournal },
  async run({ args: [id = ''], config, journal, options }) {
    if (journal === undefined)
      throw unknownSubject(
        `There is nothing to explain yet: there is no journal at ${journalName(config.database)}. It begins with: ballast run${options.paper ? ' --paper' : ''}`,
      )
    const current = await currentStrategies(config)
    const coin = config.tokens
    const configured = config.strategies.map(({ name }) => name)
    const subject = await findSubject(id, { journal, configured })
    return subject.kind === 'swap'
      ? { decisions: [], swaps: [await explainSwap(subject.swap, { journal, coin })] }
      : explainDecisions(subject.decisions, { journal, current, coin })
  },
  text: ({ decisions, swaps }) =>
    [...decisions.map(formatDecision), ...swaps.map(formatSwap)]
      .map((lines) => lines.join('\n'))
      .join('\n\n'),
})

/** Only the recheck needs the strategies of today: where they cannot be loaded, it reports that. */
async function currentStrategies(config: Config): Promise<CurrentStrategies> {
  try {
    return { strategies: await loadStrategies(config), trouble: undefined }
  } catch (error) {
    if (!(error instanceof BallastError) || error.fault !== 'usage') throw error
    return { strategies: [], trouble: `the strategies cannot be loaded: ${error.summary}` }
  }
}
