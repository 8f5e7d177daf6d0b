import { display, foreignMax } from './display.ts'
import type { BallastError, Facts } from './errors.ts'
import { withoutSecrets } from './secret.ts'

/**
 * Why something failed, in one sentence for the journal, the terminal and an alert: the summary, and what the other party
 * said of it. Foreign words are masked, cut and quoted; a quotation mark within them cannot end theirs.
 *
 * @example
 * failureReason(error) // The quoting service refused: 131099 "not whitelisted" (request REQ-77).
 */
export function failureReason({ summary, facts }: BallastError): string {
  const said = [
    ...named(facts, codes, shown),
    // That of a lock is in its sentence.
    ...named(facts, words, (value) => (summary.includes(value) ? '' : quoted(value))),
  ]
    .filter((part) => part !== '')
    .join(' ')
  const request = named(facts, ['requestId'], shown).map((id) => ` (request ${id})`)
  const addition = `${said === '' ? '' : `: ${said}`}${request.join('')}`
  const sentence = addition === '' ? summary : `${summary.replace(/\.$/, '')}${addition}.`
  return display(withoutSecrets(sentence), foreignMax)
}

/** The facts of a failure as they may be printed and logged: masked and cut. Null where it has none. */
export function failureFacts({
  facts,
}: BallastError): Readonly<Record<string, string | number | boolean>> | null {
  const known = Object.entries(facts).flatMap(([name, value]) => {
    if (value === undefined) return []
    const isPlain = typeof value === 'number' || typeof value === 'boolean'
    return [[name, isPlain ? value : display(withoutSecrets(String(value)), foreignMax)] as const]
  })
  return known.length === 0 ? null : Object.fromEntries(known)
}

/** Facts in which another party names the failure, and those in which it explains it. Addresses and amounts stay facts. */
const codes = ['apiCode', 'field']
const words = ['apiMessage', 'rpcMessage', 'reason']

/** Two of them and the summary are less than {@link foreignMax}. */
const wordsMax = 200

const shown = (value: string) => display(withoutSecrets(value), wordsMax)
const quoted = (value: string) => `"${shown(value).replaceAll('"', "'")}"`

const named = (facts: Facts, names: readonly string[], show: (value: string) => string) =>
  names.flatMap((name) => {
    const value = facts[name]
    return value === undefined || value === '' ? [] : [show(String(value))]
  })
