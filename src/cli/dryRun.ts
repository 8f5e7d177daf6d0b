import { callWith } from '../app/calls.ts'
import { type Outcome, printOutcomes } from '../app/outcome.ts'
import { previewStrategies } from '../app/previewStrategies.ts'
import { createTimeLimit } from '../bot/strategy/createTimeLimit.ts'
import { loadStrategies } from '../bot/strategy/load.ts'
import { quotedWord, shellWord } from '../core/shellWord.ts'
import { chosenStrategies } from '../engine/chosenStrategies.ts'
import { defineCommand } from './command.ts'
import { exitCodeOf } from './exitCodes.ts'

export const command = defineCommand({
  name: 'dry-run',
  summary: 'every strategy once, up to the signature; needs no key',
  example: 'ballast dry-run sell-strength',
  isForEach: () => true,
  arguments: [{ name: '[strategy...]', summary: 'only these; all without it' }],
  options: {
    checks: { flags: '--checks', summary: 'list every check, not only those that failed' },
  },
  config: 'everything',
  async run({ args, config, clock, terminal }) {
    const all = createTimeLimit()(await loadStrategies(config))
    const strategies = chosenStrategies(all, args)
    const { note } = terminal
    const results = await previewStrategies({ config, all, strategies, clock, note })
    return { mode: 'dry-run', results }
  },
  text: ({ results }, { configFile, options }) =>
    `${printOutcomes(results, options.checks)}\n\n${nextStep(configFile, results)}`,
  exitCode: ({ results }) => exitCodeOf(results),
})

/** The quoting service was reached and gave no quote: `doctor` requests no firm one, and finds nothing wrong. */
const codesOfAnswers: readonly (string | null)[] = ['QUOTE_REFUSED', 'QUOTE_MALFORMED']

function nextStep(configFile: string, results: readonly Outcome[]): string {
  if (results.length === 0)
    return 'No strategy is in the file.\nNext: add a strategy; ballast config init --list names what there is'
  const plan = callWith(configFile, 'ballast plan')
  const again = callWith(configFile, 'ballast dry-run')
  const missing = results.filter(({ outcome }) => outcome === 'unavailable')
  const declined = missing.filter(({ code }) => codesOfAnswers.includes(code))
  const [{ intent } = { intent: null }] = declined
  if (declined.length === missing.length && intent !== null) {
    const { sell, buy } = intent
    const words = `--sell ${quotedWord(`${sell.text} ${sell.token}`)} --buy ${shellWord(buy)} --firm`
    return `Next: ${callWith(configFile, `ballast quote ${words}`)}, which shows what the quoting service answers`
  }
  if (missing.length > 0)
    return `Next: ${callWith(configFile, 'ballast doctor')}, which names what cannot be reached`
  return results.some(({ outcome }) => outcome === 'refused')
    ? `Where the file refuses, and when: ${plan} names the lines.\nNext: correct what is refused above, then ${again}`
    : `Next: ${callWith(configFile, 'ballast run --paper')}, unattended, on virtual money`
}
