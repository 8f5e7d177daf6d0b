import type { CommanderError } from 'commander'
import { type BallastError, usageError } from '../core/errors.ts'
import { nearest } from '../core/nearest.ts'
import { withoutPossibleKeys } from '../core/secret.ts'

/** USAGE for a word that is no command. */
export function unknownCommand(called: string, names: readonly string[]): BallastError {
  const meant = nearest(called, names)
  return usageError(
    meant === undefined
      ? `'${withoutPossibleKeys(called).slice(0, 64)}' is not a command; 'ballast --help' lists them.`
      : `'${withoutPossibleKeys(called)}' is not a command; did you mean '${meant}'?`,
  )
}

/** commander's complaint as one sentence. Without a command its complaint is the whole help text. */
export function misuse(
  error: CommanderError,
  { complaints, example }: { readonly complaints: readonly string[]; readonly example: string },
): BallastError {
  if (error.code === 'commander.help')
    return usageError(withoutPossibleKeys(`Which command?\n\n${complaints.join('')}`))
  const excess = /^error: too many arguments for '([\w-]+)'\. Expected (\d+)/.exec(error.message)
  if (excess !== null)
    return usageError(
      `Too many arguments for '${excess[1]}': it takes ${excess[2]} (what was given is not shown).`,
    )
  const sentence = error.message
    .replace(/^error: /, '')
    .replace(/\n\(Did you mean (.+)\?\)$/, "; did you mean '$1'?")
    .trim()
  const isMissing = error.code === 'commander.missingMandatoryOptionValue'
  const hint = example !== '' && isMissing ? ` For example: ${example}` : ''
  const end = /[.?]$/.test(sentence) ? '' : '.'
  return usageError(
    withoutPossibleKeys(`${sentence[0]?.toUpperCase()}${sentence.slice(1)}${end}${hint}`),
  )
}
