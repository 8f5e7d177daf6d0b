import type { CommanderError } from 'commander'
import { asWritten } from '../core/display.ts'
import { type BallastError, usageError } from '../core/errors.ts'
import { nearest } from '../core/nearest.ts'
import { withoutPossibleKeys } from '../core/secret.ts'

/** USAGE for a word that is no command. */
export function unknownCommand(called: string, names: readonly string[]): BallastError {
  const meant = nearest(called, names)
  return usageError(
    meant === undefined
      ? `${asWritten(withoutPossibleKeys(called))} is not a command; 'ballast --help' lists them.`
      : `'${withoutPossibleKeys(called)}' is not a command; did you mean '${meant}'?`,
  )
}

type Called = {
  readonly complaints: readonly string[]
  readonly example: string
  /** The group of the call; undefined where it was of none. */
  readonly group: string | undefined
  readonly json: boolean
}

/** commander's complaint as one sentence. Without a command its complaint is the whole help text, for a person alone. */
export function misuse(
  error: CommanderError,
  { complaints, example, group, json }: Called,
): BallastError {
  const lists = `'ballast ${group === undefined ? '' : `${group} `}--help' lists them`
  if (error.code === 'commander.help')
    return usageError(
      json
        ? `Which command? ${lists}.`
        : withoutPossibleKeys(`Which command?\n\n${complaints.join('')}`),
    )
  const excess = /^error: too many arguments for '([\w-]+)'\. Expected (\d+)/.exec(error.message)
  if (excess !== null)
    return usageError(
      `Too many arguments for '${excess[1]}': it takes ${excess[2] === '0' ? 'none' : excess[2]} (what was given is not shown).${quotesHint(example)}`,
    )
  const sentence = error.message
    .replace(/^error: /, '')
    .replace(/\n\(Did you mean (.+)\?\)$/, "; did you mean '$1'?")
    .trim()
  const isMissing =
    error.code === 'commander.missingMandatoryOptionValue' ||
    error.code === 'commander.missingArgument'
  const hint = example !== '' && isMissing ? ` For example: ${example}` : ''
  const isUnlisted = error.code === 'commander.unknownCommand' && !sentence.endsWith('?')
  const end = isUnlisted ? `; ${lists}.` : /[.?]$/.test(sentence) ? '' : '.'
  return usageError(
    withoutPossibleKeys(`${sentence[0]?.toUpperCase()}${sentence.slice(1)}${end}${hint}`),
  )
}

/** An amount without quotes is two words to a shell. */
const quotesHint = (example: string) =>
  /"[^"]* [^"]*"/.test(example) ? ` A value with a space needs quotes. For example: ${example}` : ''
